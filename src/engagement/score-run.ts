import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyBulkWriteOperation, Collection, Db } from 'mongodb';
import { BACKGROUND } from '../platform/mongo/command-monitor.js';
import { movedPostsPipeline, newRank, type ScoredPost } from './moved-posts.js';
import { buildRankIndexes, dropRankIndexes, listRankIndexes } from './rank-indexes.js';
import type { Rank } from './score.js';
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
const BATCH_SIZE = 1_000;
const BATCHES_IN_FLIGHT = 4;
const SAMPLE_SIZE = 1_000;
/**
 * When more than this share has moved, the slot's indexes are dropped, the rows written and the indexes built again. A row that
 * enters seven indexes costs mongod 160 to 300 µs, one that enters none 43 µs, and a build 25 to 35 µs per row of the collection
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
  const posts = db.collection(POSTS);
  let dropped = options.droppedIndexes;
  if (dropped === null && (await isRebuildWorthIt(posts, options))) {
    dropped = await listRankIndexes(db, slot);
    await options.beforeDrop(dropped);
    await dropRankIndexes(db, dropped);
  }
  const written = await writeMoved(posts, options);
  signal.throwIfAborted();
  await buildRankIndexes(db, dropped ?? [], signal);
  return { written, isRebuilt: dropped !== null };
}

async function writeMoved(posts: Collection, { slot, now, signal, onProgress }: FillOptions): Promise<number> {
  const cursor = posts.aggregate<ScoredPost>(movedPostsPipeline(slot, now), {
    hint: { $natural: 1 },
    batchSize: 2 * BATCH_SIZE,
    comment: BACKGROUND,
  });
  const inFlight = new Set<Promise<void>>();
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  let written = 0;
  let batch: AnyBulkWriteOperation[] = [];

  const send = async (): Promise<void> => {
    while (inFlight.size >= BATCHES_IN_FLIGHT) await Promise.race(inFlight);
    stop.throwIfAborted();
    const operations = batch;
    batch = [];
    const write = writeBatch(posts, operations, stop)
      .then(() => {
        written += operations.length;
        onProgress?.(written);
      })
      .catch((error: unknown) => failed.abort(error))
      .finally(() => inFlight.delete(write));
    inFlight.add(write);
  };

  try {
    for await (const post of cursor) {
      const rank = newRank(post, now);
      if (rank === null) continue;
      batch.push({ updateOne: { filter: { _id: post._id }, update: { $set: changedFields(post, rank, slot) } } });
      if (batch.length === BATCH_SIZE) await send();
    }
    if (batch.length > 0) await send();
  } finally {
    await Promise.all(inFlight);
    await cursor.close();
  }
  stop.throwIfAborted();
  return written;
}

/** Majority: what the flip makes visible must not be rolled back by a failover between the two. Repeating a batch changes nothing. */
async function writeBatch(posts: Collection, operations: AnyBulkWriteOperation[], stop: AbortSignal): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await posts.bulkWrite(operations, { ordered: false, writeConcern: { w: 'majority' }, comment: BACKGROUND });
      return;
    } catch (error) {
      // a row that a vote holds in its transaction, an election
      if (attempt === 5 || stop.aborted) throw error;
      await sleep(50 * 2 ** attempt);
    }
  }
}

/** Fields that stay are left out: naming an indexed field costs the server a look at its indexes. */
function changedFields(post: ScoredPost, rank: Rank, slot: RankSlot): Record<string, number> {
  const changes: Record<string, number> = {};
  if (rank.hot !== post.hot) changes[`rank.hot${slot}`] = rank.hot;
  if (rank.top !== post.top) changes[`rank.top${slot}`] = rank.top;
  if (rank.win !== post.win) changes[`rank.win${slot}`] = rank.win;
  return changes;
}

async function isRebuildWorthIt(posts: Collection, { slot, now, rebuildFrom }: FillOptions): Promise<boolean> {
  if ((await posts.estimatedDocumentCount()) < (rebuildFrom ?? REBUILD_FROM)) return false;
  const [moved] = await posts
    .aggregate<{ count: number }>(
      [{ $sample: { size: SAMPLE_SIZE } }, ...movedPostsPipeline(slot, now), { $count: 'count' }],
      { comment: BACKGROUND },
    )
    .toArray();
  return (moved?.count ?? 0) > SAMPLE_SIZE * REBUILD_SHARE;
}
