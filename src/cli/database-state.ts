import type { Db } from 'mongodb';

/** The row of the collection `dataset`, which `seed` writes. */
export interface Dataset {
  _id: 'seed';
  state: 'loading' | 'complete';
  profile: string;
  seed: number;
  /** of each collection that it fills */
  counts: Record<string, number>;
}

/** The contents of a database before seeding or a restore. */
export interface DatabaseState {
  /** `foreign`: the database has documents, and none of our datasets was ever loaded. */
  kind: 'empty' | 'complete' | 'loading' | 'foreign';
  dataset: Dataset | null;
  /** All data that would be lost, largest collection first. */
  collections: { name: string; count: number }[];
  /** The database has rows in a collection that its dataset does not fill, for example sessions. */
  isUsed: boolean;
}

// A server that ran on an empty database wrote these rows. Deleting them loses nothing.
const UPKEEP = new Set([
  ...['leases', 'score_epochs', 'events', 'tasks', 'idempotency_keys', 'sign_in_failures', 'process_sessions'],
  ...['backups', 'feed_lists', 'home_timelines', 'home_entries', 'home_merged_authors', 'post_html'],
  ...['affinities', 'feed_snapshots', 'writer_lists', 'site_days'],
  ...['restores', 'database_format', 'migrations'],
]);

export async function readDatabaseState(db: Db): Promise<DatabaseState> {
  const names = (await db.listCollections({}, { nameOnly: true }).toArray())
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('system.') && !UPKEEP.has(name));
  const counted = await Promise.all(
    names.map(async (name) => ({ name, count: await db.collection(name).estimatedDocumentCount() })),
  );
  const collections = counted.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
  const dataset = await db.collection<Dataset>('dataset').findOne({ _id: 'seed' });
  const kind = dataset ? dataset.state : collections.length > 0 ? 'foreign' : 'empty';
  const seeded = new Set(['dataset', ...Object.keys(dataset?.counts ?? {})]);
  return { kind, dataset, collections, isUsed: collections.some(({ name }) => !seeded.has(name)) };
}

/** Describes the state in one sentence for the operator, who has to decide. */
export function describeDatabaseState(name: string, state: DatabaseState): string {
  const { kind, dataset, collections } = state;
  const holds = collections.map(({ name, count }) => `${count} in ${name}`).join(', ');
  switch (kind) {
    case 'empty':
      return `The database "${name}" is empty.`;
    case 'complete':
      return `The database "${name}" holds the ${dataset!.profile} dataset of seed ${dataset!.seed}, and what was written since: ${holds}.`;
    case 'loading':
      return `The database "${name}" was being filled with the ${dataset!.profile} dataset and is incomplete: ${holds}.`;
    case 'foreign':
      return `The database "${name}" holds documents that no seeding put there: ${holds}.`;
  }
}
