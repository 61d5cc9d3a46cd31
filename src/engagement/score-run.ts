import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { BACKGROUND } from '../platform/mongo/command-monitor.js';
import { scanRaw } from '../platform/mongo/raw-scan.js';
import { type MovedPost, MovedPosts, SCORED_FIELDS } from './moved-posts.js';
import { buildRankIndexes, dropRankIndexes, listRankIndexes } from './rank-indexes.js';
import type { RankIndex, RankSlot } from './score-epoch.js';

export type FillOptions = {
  slot: RankSlot;
  now: Date;
  signal: AbortSignal;
  /** dropped by the run before this one, which did not come to the end; null when none was */
  droppedIndexes: RankIndex[] | null;
  /** called before indexes are dropped: whoever comes after a crash must know them */
  beforeDrop: (indexes: RankIndex[]) => Promise<void>;
  onProgress?: (written: number) => void;
  /** for tests: what counts as a collection worth the rebuild */
  rebuildFrom?: number;
};

export type FillOutcome = { written: number; isRebuilt: boolean };

const POSTS = 'posts';
/** posts read at a time, 0.3 kB each; two of these are held */
const SCAN_SIZE = 4_000;
const BATCH_SIZE = 1_000;
const BATCHES_IN_FLIGHT = 4;
/** while no batch is in flight, so many rows are worth one */
const IDLE_BATCH_SIZE = 100;
const SAMPLE_SIZE = 1_000;
/**
 * When more than this share has moved, the slot's indexes are dropped, the rows written and the indexes built again. A row that
 * enters seven indexes costs mongod 160 to 300 µs, one that enters none 35 µs, and a build 18 to 35 µs per row of the collection
 * (docs/performance/score-job.md).
 */
const REBUILD_SHARE = 0.3;
const REBUILD_FROM = 10_000;

/**
 * Makes one slot hold the ranks of `now`: only rows that moved are written, several unordered batches are in flight, `updatedAt`
 * stays. Doing it again after a crash does what is left. Memory holds some batches, whatever the collection holds.
 */
export async function fillSlot(db: Db, options: FillOptions): Promise<FillOutcome> {
  const { slot, signal } = options;
  let dropped = options.droppedIndexes;
  if (dropped === null && (await isRebuildWorthIt(db, options))) {
    dropped = await listRankIndexes(db, slot);
    await options.beforeDrop(dropped);
    await dropRankIndexes(db, dropped);
  }
  const written = await writeMoved(db, options);
  signal.throwIfAborted();
  await buildRankIndexes(db, dropped ?? [], signal);
  return { written, isRebuilt: dropped !== null };
}

async function writeMoved(db: Db, { slot, now, signal, onProgress }: FillOptions): Promise<number> {
  const moved = new MovedPosts(slot, now);
  const inFlight = new Set<Promise<void>>();
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  let written = 0;
  let waiting: MovedPost[] = [];

  const send = async (): Promise<void> => {
    while (inFlight.size >= BATCHES_IN_FLIGHT) await Promise.race(inFlight);
    stop.throwIfAborted();
    const batch = waiting.slice(0, BATCH_SIZE);
    waiting = waiting.slice(BATCH_SIZE);
    const write = writeBatch(db, batch, stop)
      .then(() => {
        written += batch.length;
        onProgress?.(written);
      })
      .catch((error: unknown) => failed.abort(error))
      .finally(() => inFlight.delete(write));
    inFlight.add(write);
  };

  try {
    // natural order: by _id the same scan costs three times as much
    const scan = { filter: { isListed: true }, projection: SCORED_FIELDS, hint: { $natural: 1 }, batchSize: SCAN_SIZE };
    for await (const posts of scanRaw(db, POSTS, { ...scan, comment: BACKGROUND })) {
      waiting = waiting.concat(moved.in(posts));
      while (waiting.length >= BATCH_SIZE || (inFlight.size === 0 && waiting.length >= IDLE_BATCH_SIZE)) await send();
      stop.throwIfAborted();
    }
    if (waiting.length > 0) await send();
  } finally {
    await Promise.all(inFlight);
  }
  stop.throwIfAborted();
  return written;
}

/** Majority: what the flip makes visible must not be rolled back by a failover between the two. Repeating a batch changes nothing. */
async function writeBatch(db: Db, batch: MovedPost[], stop: AbortSignal): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await update(db, batch);
      return;
    } catch (error) {
      // a row that a vote holds in its transaction, an election
      if (attempt === 5 || stop.aborted) throw error;
      await sleep(50 * 2 ** attempt);
    }
  }
}

/**
 * An unordered bulk write, as the command that `bulkWrite` sends, but not as a retryable write: the server would keep a record of every
 * row in `config.transactions`, which costs it a quarter more, and batches are repeated here anyway. The validator holds counters and
 * says nothing of ranks.
 */
async function update(db: Db, batch: MovedPost[]): Promise<void> {
  const reply = await db.command({
    update: POSTS,
    updates: batch.map(({ _id, changes }) => ({ q: { _id }, u: { $set: changes } })),
    ordered: false,
    bypassDocumentValidation: true,
    writeConcern: { w: 'majority' },
    comment: BACKGROUND,
  });
  const failures = [...((reply['writeErrors'] as Failure[] | undefined) ?? []), reply['writeConcernError'] as Failure];
  const failure = failures.find(Boolean);
  if (failure) throw new Error(`A batch of ranks was not stored: ${failure.errmsg ?? 'the server did not say why'}`);
}

type Failure = { errmsg?: string } | undefined;

async function isRebuildWorthIt(db: Db, { slot, now, rebuildFrom }: FillOptions): Promise<boolean> {
  const posts = db.collection(POSTS);
  if ((await posts.estimatedDocumentCount()) < (rebuildFrom ?? REBUILD_FROM)) return false;
  const sample = (await posts
    .aggregate([{ $sample: { size: SAMPLE_SIZE } }, { $match: { isListed: true } }, { $project: SCORED_FIELDS }], {
      raw: true,
      comment: BACKGROUND,
    })
    .toArray()) as unknown as Buffer[];
  const moved = new MovedPosts(slot, now);
  const count = sample.filter((buffer) => moved.in({ buffer, offsets: [0] }).length > 0).length;
  return count > SAMPLE_SIZE * REBUILD_SHARE;
}
