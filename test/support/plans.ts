import type { CommandStartedEvent, Document } from 'mongodb';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { canExplain, explainCommand, type PlanSummary } from '../../src/platform/mongo/slow-query/explain-plan.js';
import type { TestApp } from './app.js';

/** Runs `work` and explains every read the app sent meanwhile: the commands as they were sent, so no test can drift from the code. */
export async function plansOf(app: TestApp, work: () => Promise<unknown>): Promise<PlanSummary[]> {
  const { client } = app.app.get(MongoService);
  const commands: { name: string; command: Document }[] = [];
  const started = ({ commandName: name, command }: CommandStartedEvent): void => {
    if (command.$db === app.db.databaseName && canExplain(name)) commands.push({ name, command });
  };
  client.on('commandStarted', started);
  try {
    await work();
  } finally {
    client.off('commandStarted', started);
  }
  const plans: PlanSummary[] = [];
  for (const { name, command } of commands) plans.push((await explainCommand(app.db, name, command))!);
  return plans;
}
