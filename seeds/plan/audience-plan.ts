import { Random } from '../sampling/random.js';
import { DAY } from './clock.js';
import { POST_STATES, type PostsPlan } from './posts-plan.js';
import { STREAMS } from './streams.js';

/** One day of a post's audience: a row of `post_event_days`. */
export interface AudienceDay {
  /** Days since 1970, UTC. */
  day: number;
  views: number;
  reads: number;
  shares: number;
}

// Days after publication with their own audience. Interest shrinks from each to the next.
const DAY_OFFSETS = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256];
const INTEREST_LEFT = 0.62;

/** Fills the columns of views, reads and shares. Most viewers of a post only view the post. */
export function planAudience(seed: number, posts: PostsPlan): void {
  const random = new Random(seed, STREAMS.audience);
  for (let i = 0; i < posts.count; i++) {
    const perTrace = random.between(6, 24);
    const readShare = 0.25 + random.float() * 0.45;
    const shareRate = random.float() * 0.03;
    const strangers = Math.floor(random.pareto(1.2) * 3);
    if (posts.state[i] !== POST_STATES.listed && posts.state[i] !== POST_STATES.hidden) continue;
    const traces = posts.likes[i]! + posts.dislikes[i]! + posts.saves[i]! + posts.comments[i]!;
    posts.views[i] = traces * perTrace + Math.min(strangers, 5_000);
    posts.reads[i] = Math.floor(posts.views[i]! * readShare);
    posts.shares[i] = Math.floor(posts.views[i]! * shareRate);
  }
}

/** Yields the days whose sums are the post's counters, oldest first. No day is after `now` or empty. */
export function* audienceDays(posts: PostsPlan, post: number, now: number): Generator<AudienceDay> {
  const views = posts.views[post]!;
  if (views === 0) return;
  const firstDay = Math.floor(posts.createdAt[post]! / DAY);
  const lived = Math.floor(now / DAY) - firstDay;
  const wanted = 1 + Math.floor(Math.log2(views) / 2);
  let days = 0;
  while (days < DAY_OFFSETS.length && days < wanted && DAY_OFFSETS[days]! <= lived) days++;

  const left = { views, reads: posts.reads[post]!, shares: posts.shares[post]! };
  for (let i = 0; i < days; i++) {
    const share = i === days - 1 ? 1 : 1 - INTEREST_LEFT;
    const row = {
      day: firstDay + DAY_OFFSETS[i]!,
      views: Math.ceil(left.views * share),
      reads: Math.ceil(left.reads * share),
      shares: Math.ceil(left.shares * share),
    };
    left.views -= row.views;
    left.reads -= row.reads;
    left.shares -= row.shares;
    if (row.views + row.reads + row.shares > 0) yield row;
  }
}

export function countAudienceDays(posts: PostsPlan, now: number): number {
  let rows = 0;
  for (let post = 0; post < posts.count; post++) {
    for (const _ of audienceDays(posts, post, now)) rows++;
  }
  return rows;
}
