import type { CommandStartedEvent } from 'mongodb';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import type { TestApp } from './app.js';

/** Collections of accounts. The host itself sends the other reads outside of a transaction. */
const COLLECTIONS = ['users', 'credentials', 'sessions', 'one_time_tokens', 'sign_in_failures'];

/** Calls `onCommand` with every command that the servers of an app send while `work` runs. */
export async function whileListening(
  { everyOf }: Pick<TestApp, 'everyOf'>,
  onCommand: (event: CommandStartedEvent) => void,
  work: () => Promise<unknown>,
): Promise<void> {
  const clients = everyOf(MongoService).map(({ client }) => client);
  for (const client of clients) client.on('commandStarted', onCommand);
  try {
    await work();
  } finally {
    for (const client of clients) client.off('commandStarted', onCommand);
  }
}

/** Returns the database commands of the work as names of commands and collections, in order. For an app without jobs. */
export async function commandsOf(app: TestApp, work: () => Promise<unknown>): Promise<string[]> {
  const commands: string[] = [];
  const onCommand = ({ commandName: name, command }: CommandStartedEvent): void => {
    const isOfRequest = command.autocommit === false || COLLECTIONS.includes(String(command[name]));
    if (isOfRequest) commands.push(`${name} ${String(command[name])}`);
  };
  await whileListening(app, onCommand, work);
  return commands;
}
