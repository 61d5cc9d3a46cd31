import type { Db } from 'mongodb';
import { BACKGROUND } from '../platform/mongo/slow-query/command-monitor.js';
import { LeaseLostError } from '../platform/mongo/lease.service.js';
import { scanRaw } from '../platform/mongo/raw-scan.js';
import { type MovedPost, MovedPosts, SCORED_FIELDS } from '../posts/ranking/rank-diff.js';
import { RankWrites, type RunFence } from './rank-batches.js';
import { buildRankIndexes, dropRankIndexes, listRankIndexes } from '../posts/ranking/rank-indexes.service.js';
import type { RankIndex, RankSlot } from '../posts/ranking/score-epoch.js';

/** What both ways of filling a slot are told. */
export type RunOptions = {
  slot: RankSlot;
  now: Date;
  signal: AbortSignal;
  fence: RunFence;
  onProgress?: (written: number) => void;
};

export type FillOptions = RunOptions & {
  /** dropped by the run before this one, which did not come to the end; null when none was */
  droppedIndexes: RankIndex[] | null;
  /** called before indexes are dropped: whoever comes after a crash must know them */
  beforeDrop: (indexes: RankIndex[]) => Promise<void>;
  /** most posts are due: their ranks moved with the time */
  areMostDue?: boolean;
  /** for tests: what counts as a collection worth the rebuild */
  rebuildFrom?: number;
};

export type FillOutcome = { written: number; isRebuilt: boolean };

const POSTS = 'posts';
/** posts read at a time, 0.3 kB each; two of these are held */
const SCAN_SIZE = 4_000;
const SAMPLE_SIZE = 200;
/**
 * When a field has moved in more than this share of the posts, the slot's indexes on it are dropped, the rows written and the indexes
 * built again. A row that enters seven indexes costs mongod 160 to 300 µs, one that enters none 35 µs, and a build 18 to 35 µs per
 * row of the collection (docs/performance/score-job.md).
 */
const REBUILD_SHARE = 0.3;
const REBUILD_FROM = 10_000;
/** how long a run that dropped too late tries to reach the server with what it must build */
const REPAIR_MS = 60_000;

/**
 * Makes one slot hold the ranks of `now`, whatever it held: looks at every listed post. Only rows that moved are written, several
 * unordered batches are in flight, `updatedAt` stays. Doing it again after a crash does what is left. Memory holds some batches,
 * whatever the collection holds.
 */
export async function fillSlot(db: Db, options: FillOptions): Promise<FillOutcome> {
  const { signal, fence, onProgress } = options;
  const moved = new MovedPosts(options.slot, options.now);
  const writes = new RankWrites(db, signal, fence, onProgress);
  let dropped = options.droppedIndexes;
  let isDecided = dropped !== null;
  try {
    // natural order: by _id the same scan costs three times as much
    const scan = { filter: { isListed: true }, projection: SCORED_FIELDS, hint: { $natural: 1 }, batchSize: SCAN_SIZE };
    for await (const posts of scanRaw(db, POSTS, { ...scan, comment: BACKGROUND })) {
      const found = moved.in(posts);
      if (!isDecided && found.length > SCAN_SIZE * REBUILD_SHARE) {
        isDecided = true;
        const fields = await fieldsWorthRebuild(db, found, options);
        if (fields.size > 0) dropped = await dropIndexesOn(db, fields, options);
      }
      await writes.add(found);
    }
    await writes.flush();
  } finally {
    await writes.settled();
  }
  signal.throwIfAborted();
  await buildRankIndexes(db, dropped ?? [], signal);
  return { written: writes.written, isRebuilt: dropped !== null };
}

/**
 * No fence holds a drop, so the lease is looked at right before it, and after it: a run that stood still in between builds at once what
 * the next one may be showing.
 */
async function dropIndexesOn(
  db: Db,
  fields: ReadonlySet<string>,
  { slot, signal, fence, beforeDrop }: FillOptions,
): Promise<RankIndex[]> {
  const all = await listRankIndexes(db, slot);
  const indexes = all.filter(({ key }) => Object.keys(key).some((field) => fields.has(field)));
  signal.throwIfAborted();
  await beforeDrop(indexes);
  await dropRankIndexes(db, indexes, fence, signal);
  try {
    await fence.confirm();
  } catch (error) {
    if (error instanceof LeaseLostError) await buildRankIndexes(db, indexes, AbortSignal.timeout(REPAIR_MS));
    throw error;
  }
  return indexes;
}

/** Time alone moves `hot` and leaves `top` where it is: the indexes on what stays need no rebuild. */
async function fieldsWorthRebuild(db: Db, found: MovedPost[], options: FillOptions): Promise<Set<string>> {
  const { slot, rebuildFrom = REBUILD_FROM } = options;
  if ((await db.collection(POSTS).estimatedDocumentCount()) < rebuildFrom) return new Set();
  const topMoved = found.filter(({ changes }) => `rank.top${slot}` in changes).length;
  if (options.areMostDue === true && topMoved < found.length * REBUILD_SHARE)
    return new Set([`rank.hot${slot}`, 'rank.due']);
  return sampledFields(db, options);
}

/**
 * From a random sample, because posts that follow each other in the collection are of one age, and the young move more. It is random reads,
 * which cost more than their number says.
 */
async function sampledFields(db: Db, { slot, now }: FillOptions): Promise<Set<string>> {
  const sample = (await db
    .collection(POSTS)
    .aggregate([{ $sample: { size: SAMPLE_SIZE } }, { $match: { isListed: true } }, { $project: SCORED_FIELDS }], {
      raw: true,
      batchSize: SAMPLE_SIZE,
      comment: BACKGROUND,
    })
    .toArray()) as unknown as Buffer[];
  const moved = new MovedPosts(slot, now);
  const counts = new Map<string, number>();
  for (const { changes } of sample.flatMap((buffer) => moved.in({ buffer, offsets: [0] }))) {
    for (const field of Object.keys(changes)) counts.set(field, (counts.get(field) ?? 0) + 1);
  }
  return new Set([...counts.keys()].filter((field) => counts.get(field)! > SAMPLE_SIZE * REBUILD_SHARE));
}
