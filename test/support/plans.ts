import type { CommandStartedEvent, Document } from 'mongodb';
import { canExplain, explainCommand, type PlanSummary } from '../../src/platform/mongo/slow-query/explain-plan.js';
import type { TestApp } from './app.js';
import { whileListening } from './commands.js';

/**
 * Runs `work` and explains every read that the app sent. The test uses the real commands, so it cannot drift from the code.
 * @param collection excludes other collections, which jobs may read at the same time
 */
export async function plansOf(app: TestApp, work: () => Promise<unknown>, collection?: string): Promise<PlanSummary[]> {
  const commands: { name: string; command: Document }[] = [];
  const onCommand = ({ commandName: name, command }: CommandStartedEvent): void => {
    const isMeant = collection === undefined || command[name] === collection;
    if (command.$db !== app.db.databaseName || !canExplain(name) || !isMeant) return;
    commands.push({ name, command }, ...lookupsOf(command).map((lookup) => ({ name: 'aggregate', command: lookup })));
  };
  await whileListening(app, onCommand, work);
  const plans: PlanSummary[] = [];
  for (const { name, command } of commands) plans.push((await explainCommand(app.db, name, command))!);
  return plans;
}

/** Returns the ranges that a command reads as parts of `$lookup`, as commands of their own: its plan does not show them. */
function lookupsOf({ pipeline = [] }: Document): Document[] {
  const lookups = (pipeline as Document[]).flatMap(({ $lookup }) => ($lookup?.['localField'] ? [] : ($lookup ?? [])));
  return lookups.flatMap(({ from, pipeline: range }) =>
    range ? { aggregate: from, pipeline: range, cursor: {} } : [],
  );
}

/** Room for tens of thousands of operations, so that the profile drops nothing. */
const PROFILE_BYTES = 64 * 1024 * 1024;

/** Lists the collection scans of the app's database during `work`, as the profiler of the server records them. */
export async function scansOf({ db }: TestApp, work: () => Promise<unknown>): Promise<string[]> {
  await db.dropCollection('system.profile').catch(() => undefined);
  await db.createCollection('system.profile', { capped: true, size: PROFILE_BYTES });
  await db.command({ profile: 2 });
  try {
    await work();
  } finally {
    await db.command({ profile: 0 });
  }
  // A change stream reads the oplog, and this query reads the profile.
  const isOurs = { $not: /\.(system\.profile|\$cmd\.aggregate)$/ };
  const scans = await db
    .collection<{ op: string; ns: string; command: Document }>('system.profile')
    .find({ planSummary: /COLLSCAN/, ns: isOurs, op: { $ne: 'getmore' }, 'command.pipeline.0.$changeStream': null })
    .toArray();
  return [...new Set(scans.map(({ op, ns, command }) => `${op} ${ns.split('.')[1]} ${filterOf(command)}`))].sort();
}

function filterOf({ filter, q, pipeline, query }: Document): string {
  return JSON.stringify(filter ?? q ?? pipeline ?? query);
}
