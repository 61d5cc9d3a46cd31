import type { ObjectId } from 'mongodb';
import type { PostRow } from '../post-row.js';
import { rankHoldsUntil, rankOf, scoredStatsOf } from './score.js';
import { otherSlot, type RankSlot } from './score-epoch.js';

/** What the formula and the comparison need of a post; whole fields, which the server copies as they are. */
export const SCORED_FIELDS = { stats: 1, visitors: 1, rank: 1, createdAt: 1, contentEditedAt: 1 } as const;

export type ScoredPost = Pick<PostRow, '_id' | keyof typeof SCORED_FIELDS>;

/** A post whose rank is not what the slot should hold, with the fields that differ. */
export type RankDiff = { _id: ObjectId; changes: Record<string, number | Date> };

/** The other slot differs from the formula already: the next run has to look at the post. */
const OVERDUE_MS = 0;

/**
 * Null when the slot holds what the formula gives at `now`, and the post says until when. `rank.due` is the moment until which both
 * slots do, and long past where the other one does not.
 */
export function rankDiff(post: ScoredPost, slot: RankSlot, now: Date): RankDiff | null {
  const { _id, createdAt, contentEditedAt } = post;
  const stats = scoredStatsOf(post);
  const { hot, top, ageBucket } = rankOf(stats, createdAt, contentEditedAt, now, _id);
  // posts that other tools wrote may have none
  const held: Partial<PostRow['rank']> = post.rank ?? {};
  const other = otherSlot(slot);
  const isOtherRight = held[`hot${other}`] === hot && held[`top${other}`] === top && held[`win${other}`] === ageBucket;
  const due = isOtherRight ? rankHoldsUntil(stats, createdAt, contentEditedAt, now) : OVERDUE_MS;
  const changes: RankDiff['changes'] = {};
  // a field that stays is left out: naming it costs the server a look at its indexes
  if (held[`hot${slot}`] !== hot) changes[`rank.hot${slot}`] = hot;
  if (held[`top${slot}`] !== top) changes[`rank.top${slot}`] = top;
  if (held[`win${slot}`] !== ageBucket) changes[`rank.win${slot}`] = ageBucket;
  if (held.due?.getTime() !== due) changes['rank.due'] = new Date(due);
  return Object.keys(changes).length === 0 ? null : { _id, changes };
}

/** Those of the posts that are not null. */
export async function* rankDiffs(
  posts: AsyncIterable<ScoredPost>,
  slot: RankSlot,
  now: Date,
): AsyncGenerator<RankDiff, void, undefined> {
  for await (const post of posts) {
    const diff = rankDiff(post, slot, now);
    if (diff !== null) yield diff;
  }
}
