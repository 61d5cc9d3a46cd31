import { rankOf, scoredStatsOf } from '../posts/score.js';
import type { RankChange, ScoredPost } from '../posts/post-ranks.service.js';
import type { RankSlot } from './score-epoch.js';

/** Null when the slot equals the formula at `now`. */
export function rankDiff(post: ScoredPost, slot: RankSlot, now: Date): RankChange | null {
  const { _id, createdAt, contentEditedAt } = post;
  const { hot, top, ageBucket } = rankOf(scoredStatsOf(post), createdAt, contentEditedAt, now, _id);
  // posts that other tools wrote may have none
  const held: Partial<ScoredPost['rank']> = post.rank ?? {};
  const fields: RankChange['fields'] = {};
  // a field that stays is left out: naming it costs the server a look at its indexes
  if (held[`hot${slot}`] !== hot) fields[`rank.hot${slot}`] = hot;
  if (held[`top${slot}`] !== top) fields[`rank.top${slot}`] = top;
  if (held[`win${slot}`] !== ageBucket) fields[`rank.win${slot}`] = ageBucket;
  return Object.keys(fields).length === 0 ? null : { _id, fields };
}
