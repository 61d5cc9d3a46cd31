import { DEMO_ACCOUNTS } from '../../src/common/demo-accounts.js';
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
  likes: number;
  comments: number;
}

/** The posts of demo accounts have readers in the whole last year. */
const DEMO_DAYS = 365;
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
  const interest =
    posts.author[post]! < DEMO_ACCOUNTS.length
      ? yearOf(lived, firstDay, post === posts.example ? 1 : 4)
      : fading(lived, views);

  const { likes, comments } = posts;
  const totals = { views: posts.views, reads: posts.reads, shares: posts.shares, likes, comments };
  const all = interest.reduce((sum, [, weight]) => sum + weight, 0);
  let before = 0;
  for (const [offset, weight] of interest) {
    const after = before + weight;
    const counts = Object.entries(totals).map(([name, column]) => {
      const total = column[post]!;
      // Rounded sums of all days until now, so that the days add up to the total.
      return [name, Math.round((total * after) / all) - Math.round((total * before) / all)] as const;
    });
    before = after;
    if (counts.some(([, count]) => count > 0))
      yield { day: firstDay + offset, ...(Object.fromEntries(counts) as Omit<AudienceDay, 'day'>) };
  }
}

/** Days after the publication, with the interest in the post on each. */
function fading(lived: number, views: number): [offset: number, weight: number][] {
  const days = DAY_OFFSETS.filter((offset) => offset <= lived).slice(0, 1 + Math.floor(Math.log2(views) / 2));
  return days.map((offset, i) => [offset, INTEREST_LEFT ** i]);
}

/** More readers on the first day, and on some days of the week than on others. @param every days between two with readers */
function yearOf(lived: number, firstDay: number, every: number): [offset: number, weight: number][] {
  const since = Math.max(1, lived - DEMO_DAYS + 1);
  const later = Array.from(
    { length: Math.max(0, Math.ceil((lived - since + 1) / every)) },
    (_, i) => since + i * every,
  );
  const ofWeek = (offset: number): number => 1 + 0.4 * Math.sin((2 * Math.PI * (firstDay + offset)) / 7);
  return [[0, 30], ...later.map((offset): [number, number] => [offset, ofWeek(offset)])];
}

export function countAudienceDays(posts: PostsPlan, now: number): number {
  let rows = 0;
  for (let post = 0; post < posts.count; post++) {
    for (const _ of audienceDays(posts, post, now)) rows++;
  }
  return rows;
}
