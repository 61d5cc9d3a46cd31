import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { PostRanks } from '../posts/ranking/post-ranks.service.js';
import { rankDiffs, type ScoredPost } from '../posts/ranking/rank-diff.js';
import { RankIndexes } from '../posts/ranking/rank-indexes.service.js';
import { ScoreDirtySet } from '../posts/ranking/score-dirty-set.service.js';
import { RankBatches } from './rank-batches.js';
import type { RunOptions } from './slot-rebuild.service.js';

/** When more than this share of the posts is to be looked at, it is quicker to look at all. */
const WHOLE_SHARE = 0.3;
/** so many are looked at one by one, however few posts there are */
const FEW = 4_000;
/** so many dirty posts a run holds at most */
const DIRTY_LIMIT = 50_000;
/** dirty posts read at a time */
const DIRTY_SIZE = 1_000;

/** `written` null: a look at all posts is the shorter way, or the only one, and nothing was written. */
export type RefreshOutcome =
  | { written: number }
  | { written: null; why: 'most are due' | 'many are dirty' | 'no index' };

/**
 * Fills a slot that holds the ranks of an earlier moment: looks only at posts that are due and at those that became dirty since.
 *
 * What holds between two runs, and what they keep: where a slot of a listed post differs from the formula at some moment, the post is
 * due by then or dirty.
 */
@Injectable()
export class SlotRefresh {
  constructor(
    private readonly ranks: PostRanks,
    private readonly indexes: RankIndexes,
    private readonly dirtySet: ScoreDirtySet,
  ) {}

  /** Doing it again after a crash does what is left. */
  async refreshSlot(options: RunOptions & { dirtySince: Date }): Promise<RefreshOutcome> {
    const { slot, now, signal, fence, onProgress, dirtySince } = options;
    const limit = Math.max(FEW, Math.ceil((await this.ranks.estimateCount()) * WHOLE_SHARE));
    if (!(await this.indexes.hasDueIndex())) return { written: null, why: 'no index' };
    const [dueCount, dirty] = await Promise.all([
      this.ranks.countDue(now, limit),
      this.dirtySet.read(dirtySince, Math.min(limit, DIRTY_LIMIT)),
    ]);
    if (dueCount >= limit) return { written: null, why: 'most are due' };
    if (dirty === null || dueCount + dirty.size >= limit) return { written: null, why: 'many are dirty' };
    const batches = new RankBatches(this.ranks, fence, signal, onProgress);
    await batches.store(rankDiffs(this.dirtyAndDue(dirty, now), slot, now));
    return { written: batches.written };
  }

  private async *dirtyAndDue(dirty: ReadonlySet<string>, now: Date): AsyncGenerator<ScoredPost, void, undefined> {
    const ids = [...dirty];
    for (let at = 0; at < ids.length; at += DIRTY_SIZE) {
      const some = ids.slice(at, at + DIRTY_SIZE).map((id) => ObjectId.createFromHexString(id));
      yield* await this.ranks.findScored(some);
    }
    // a row that is written moves behind the cursor or beyond the end of its range
    for await (const post of this.ranks.streamDue(now)) if (!dirty.has(post._id.toHexString())) yield post;
  }
}
