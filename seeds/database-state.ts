import type { Db } from 'mongodb';
import type { CollectionName, DatasetDocument } from './documents/document-types.js';

/** The contents of a database before seeding. */
export interface DatabaseState {
  /** `foreign`: the database has documents, and none of our datasets was ever loaded. */
  kind: 'empty' | 'complete' | 'loading' | 'foreign';
  dataset: DatasetDocument | null;
  /** All data that would be lost, largest collection first. */
  collections: { name: string; count: number }[];
  /** The database has rows that no dataset contains, for example sessions. */
  isUsed: boolean;
}

const SEEDED = new Set<string>([
  'dataset',
  ...Object.keys({
    users: true,
    credentials: true,
    posts: true,
    post_bodies: true,
    comments: true,
    follows: true,
    interactions: true,
    post_event_days: true,
    collections: true,
    collection_items: true,
    post_series: true,
    score_epochs: true,
    revisions: true,
    drafts: true,
    media: true,
    media_refs: true,
    'media.files': true,
    'media.chunks': true,
    exports: true,
    notifications: true,
    reports: true,
    report_cases: true,
    moderation_actions: true,
    appeals: true,
    content_rules: true,
    content_rule_hits: true,
  } satisfies Record<CollectionName, true>),
]);

// A server that ran on an empty database wrote these rows. Deleting them loses nothing.
const UPKEEP = new Set([
  ...['leases', 'score_epochs', 'events', 'tasks', 'idempotency_keys', 'sign_in_failures', 'process_sessions'],
  ...['home_timelines', 'home_entries', 'home_merged_authors', 'post_html'],
]);

export async function readDatabaseState(db: Db): Promise<DatabaseState> {
  const names = (await db.listCollections({}, { nameOnly: true }).toArray())
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('system.') && !UPKEEP.has(name));
  const counted = await Promise.all(
    names.map(async (name) => ({ name, count: await db.collection(name).estimatedDocumentCount() })),
  );
  const collections = counted.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
  const dataset = await db.collection<DatasetDocument>('dataset').findOne({ _id: 'seed' });
  const kind = dataset ? dataset.state : collections.length > 0 ? 'foreign' : 'empty';
  return { kind, dataset, collections, isUsed: collections.some(({ name }) => !SEEDED.has(name)) };
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
