import { type Db, ObjectId } from 'mongodb';
import { BACKGROUND } from '../platform/mongo/slow-query/command-monitor.js';
import { findRaw } from '../platform/mongo/raw-read.js';
import { scanRaw } from '../platform/mongo/raw-scan.js';
import { MovedPosts, SCORED_FIELDS } from '../posts/ranking/rank-diff.js';
import { DUE_INDEX, hasDueIndex } from '../posts/ranking/rank-indexes.service.js';
import { RankWrites } from './rank-batches.js';
import { readScoreMarks } from '../posts/ranking/score-dirty-set.service.js';
import type { RunOptions } from './rebuild-slot.js';

const POSTS = 'posts';
/** When more than this share of the posts is to be looked at, it is quicker to look at all, and perhaps to build indexes anew. */
const WHOLE_SHARE = 0.3;
/** so many are looked at one by one, however few posts there are */
const FEW = 4_000;
/** so many marked posts a run holds at most */
const MARKS_LIMIT = 50_000;
/** marked posts read at a time */
const MARKED_SIZE = 1_000;

/** `written` null: a look at all posts is the shorter way, or the only one, and nothing was written. */
export type DueOutcome = { written: number } | { written: null; why: WhyAll };
type WhyAll = 'most are due' | 'many are marked' | 'no index';

/**
 * Makes one slot hold the ranks of `now`, when it did so for an earlier moment: looks only at posts that are due and at those marked
 * since. Doing it again after a crash does what is left.
 *
 * What holds between two runs, and what they keep: where a slot of a listed post differs from the formula at some moment, the post is
 * due by then or marked.
 */
export async function fillSlotOfDue(db: Db, options: RunOptions & { marksSince: Date }): Promise<DueOutcome> {
  const { slot, now, signal, fence, onProgress, marksSince } = options;
  const posts = db.collection(POSTS);
  const limit = Math.max(FEW, Math.ceil((await posts.estimatedDocumentCount()) * WHOLE_SHARE));
  if (!(await hasDueIndex(db))) return { written: null, why: 'no index' };
  const due = { isListed: true, 'rank.due': { $lte: now } };
  const [dueCount, marked] = await Promise.all([
    posts.countDocuments(due, { hint: DUE_INDEX, limit, comment: BACKGROUND }),
    readScoreMarks(db, marksSince, Math.min(limit, MARKS_LIMIT)),
  ]);
  if (dueCount >= limit) return { written: null, why: 'most are due' };
  if (marked === null || dueCount + marked.size >= limit) return { written: null, why: 'many are marked' };

  const moved = new MovedPosts(slot, now);
  const writes = new RankWrites(db, signal, fence, onProgress);
  try {
    const ids = [...marked];
    for (let at = 0; at < ids.length; at += MARKED_SIZE) {
      const some = ids.slice(at, at + MARKED_SIZE).map((id) => ObjectId.createFromHexString(id));
      const filter = { _id: { $in: some }, isListed: true };
      await writes.add(
        moved.in(await findRaw(db, POSTS, { filter, projection: SCORED_FIELDS, hint: { _id: 1 }, limit: some.length })),
      );
    }
    // a row that is written moves behind the cursor or beyond the end of its range
    const scan = { filter: due, projection: SCORED_FIELDS, hint: DUE_INDEX, batchSize: MARKED_SIZE };
    for await (const batch of scanRaw(db, POSTS, { ...scan, comment: BACKGROUND })) {
      await writes.add(moved.in(batch).filter(({ _id }) => !marked.has(_id.toHexString())));
    }
    await writes.flush();
  } finally {
    await writes.settled();
  }
  signal.throwIfAborted();
  return { written: writes.written };
}
