import type { Db, Document } from 'mongodb';
import { ALL_CHANGED, eventRow, EVENTS, type StoredEvent } from '../src/platform/events/event.schema.js';
import { markFormat } from '../src/platform/mongo/format/database-format.js';
import { listWriters } from '../src/views/list-writers.js';
import type { Dataset } from './dataset.js';
import { type CollectionName, type DatasetDocument, SHAPE } from './documents/document-types.js';
import { InFlight } from './in-flight.js';
import { writeTags } from './tag-rows.js';

// Two writes load mongod while the next batch is being written; more writes only hold memory.
const PARALLEL_WRITES = 3;

/** Cost of generating and storing a document of each collection, in follows. Estimates the remaining time. */
const COST: Record<CollectionName, number> = {
  users: 1,
  credentials: 1,
  posts: 4,
  post_bodies: 7,
  comments: 1.3,
  follows: 1,
  tag_follows: 1,
  interactions: 1,
  post_event_days: 0.8,
  author_days: 0.8,
  collections: 1,
  collection_items: 1,
  post_series: 0.8,
  score_epochs: 1,
  feed_lists: 1,
  revisions: 1,
  drafts: 1,
  media: 1,
  media_refs: 1,
  'media.files': 1,
  'media.chunks': 1,
  exports: 1,
  archive_imports: 1,
  notifications: 1,
  webhooks: 1,
  webhook_deliveries: 1,
  reports: 1,
  report_cases: 1,
  moderation_actions: 1,
  appeals: 1,
  content_rules: 1,
  content_rule_hits: 1,
};
// Share of the work after the last document: the indexes.
const INDEX_SHARE = 0.3;

export interface LoadProgress {
  phase: 'documents' | 'indexes' | 'done';
  /** The collection that is being written. Some batches of the previous collection may still be under way. */
  collection: CollectionName;
  writtenInCollection: number;
  written: number;
  total: number;
  /** Completed share of the work, 0 to 1. */
  share: number;
}

export interface LoadOptions {
  /** The dataset's collections in this database must be empty, and without indexes. */
  db: Db;
  dataset: Dataset;
  ensureIndexes: (db: Db) => Promise<void>;
  onProgress?: (progress: LoadProgress) => void;
  signal?: AbortSignal;
}

/** The load did not complete. The database stays marked as `loading`. */
export class SeedInterrupted extends Error {
  constructor(
    readonly progress: LoadProgress,
    reason: unknown,
  ) {
    const { phase, collection, writtenInCollection, written, total } = progress;
    const where =
      phase === 'indexes'
        ? `while building the indexes, after all ${total} documents`
        : `while writing ${collection} (${writtenInCollection} of them stored), after ${written} of ${total} documents`;
    const why = reason instanceof Error ? reason.message : String(reason);
    super(
      `Seeding stopped ${where}: ${why.replace(/\.$/, '')}. The database is incomplete and marked so; ` +
        'run the command again to start over.',
      { cause: reason },
    );
    this.name = 'SeedInterrupted';
  }
}

/** Makes servers refuse the database until `loadDataset` has completed. */
export function markLoading(db: Db, dataset: Dataset): Promise<void> {
  return mark(db, describe(dataset, 'loading'));
}

/**
 * Stores a dataset: documents in parallel unordered batches, then the indexes, then one majority write that marks it as complete.
 * The database is marked as `loading` until that last write.
 */
export async function loadDataset(options: LoadOptions): Promise<DatasetDocument> {
  const { db, dataset, signal } = options;
  const total = Object.values(dataset.counts).reduce((sum, count) => sum + count, 0);
  const work = Object.entries(dataset.counts).reduce(
    (sum, [name, count]) => sum + count * COST[name as CollectionName],
    0,
  );
  const written = new Map<CollectionName, number>();
  let done = 0;
  const progress: LoadProgress = {
    phase: 'documents',
    collection: 'users',
    writtenInCollection: 0,
    written: 0,
    total,
    share: 0,
  };
  const report = (change: Partial<LoadProgress>) => {
    Object.assign(progress, change);
    options.onProgress?.({ ...progress });
  };

  try {
    await markLoading(db, dataset);
    report({});
    const writes = new InFlight(PARALLEL_WRITES);
    try {
      for await (const { collection, documents } of dataset.batches()) {
        signal?.throwIfAborted();
        await writes.add(async () => {
          await insert(db, collection, documents);
          written.set(collection, (written.get(collection) ?? 0) + documents.length);
          done += documents.length * COST[collection];
          report({
            writtenInCollection: written.get(progress.collection) ?? 0,
            written: progress.written + documents.length,
            share: (done / work) * (1 - INDEX_SHARE),
          });
        });
        progress.collection = collection;
      }
    } finally {
      await writes.settled();
    }
    writes.throwIfFailed();
    signal?.throwIfAborted();
    report({ phase: 'indexes' });
    await options.ensureIndexes(db);
    signal?.throwIfAborted();
    const now = dataset.plan.now * 1_000;
    await writeTags(db, now);
    await listWriters(db, now);
    signal?.throwIfAborted();
    await markFormat(db);
    const complete = describe(dataset, 'complete');
    await mark(db, complete);
    // A server on this database has cached responses and a search index of the earlier rows.
    await db
      .collection<StoredEvent>(EVENTS)
      .insertOne(eventRow(ALL_CHANGED, null), { writeConcern: { w: 'majority' } });
    report({ phase: 'done', share: 1 });
    return complete;
  } catch (error) {
    throw new SeedInterrupted(progress, error);
  }
}

/** Runs a majority write after all others. Its acknowledgement proves that the earlier writes are as durable. */
async function mark(db: Db, document: DatasetDocument): Promise<void> {
  await db
    .collection<DatasetDocument>('dataset')
    .replaceOne({ _id: 'seed' }, document, { upsert: true, writeConcern: { w: 'majority', journal: true } });
}

function describe(dataset: Dataset, state: DatasetDocument['state']): DatasetDocument {
  const { profile, seed, now } = dataset.plan.request;
  return { _id: 'seed', state, profile, shape: SHAPE, seed, counts: dataset.counts, now, seededAt: new Date() };
}

/**
 * Uses the plain command, because insertMany serializes every document a second time to get its size. Our batches are far below the
 * limits of a message.
 */
async function insert(db: Db, collection: CollectionName, documents: readonly Document[]): Promise<void> {
  const answer = await db.command({ insert: collection, documents, ordered: false, writeConcern: { w: 1 } });
  const [failure] = (answer.writeErrors ?? []) as { errmsg?: string }[];
  if (failure) throw new Error(`a document of ${collection} was refused: ${failure.errmsg ?? 'no reason given'}`);
}
