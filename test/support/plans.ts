import type { CommandStartedEvent, Document } from 'mongodb';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { canExplain, explainCommand, type PlanSummary } from '../../src/platform/mongo/explain-plan.js';
import type { TestApp } from './app.js';

/** Runs `work` and explains every read the app sent meanwhile: the commands as they were sent, so no test can drift from the code. */
export async function plansOf(app: TestApp, work: () => Promise<unknown>): Promise<PlanSummary[]> {
  const { client, wireSessions } = app.app.get(MongoService);
  const commands: { name: string; command: Document }[] = [];
  const record = (name: string, command: Document): void => {
    if (command.$db === app.db.databaseName && canExplain(name)) commands.push({ name, command });
  };
  const started = ({ commandName, command }: CommandStartedEvent): void => record(commandName, command);
  const { watch } = wireSessions;
  wireSessions.watch = (command, ...how) => {
    record(Object.keys(command)[0]!, command);
    watch?.(command, ...how);
  };
  client.on('commandStarted', started);
  try {
    await work();
  } finally {
    client.off('commandStarted', started);
    wireSessions.watch = watch;
  }
  const plans: PlanSummary[] = [];
  for (const { name, command } of commands) plans.push((await explainCommand(app.db, name, command))!);
  return plans;
}
