import { CursorCodec } from '../../src/common/cursor.js';
import { followingScopeOf } from '../../src/feed/feed-plan.js';
import { DEFAULT_LIMIT } from '../../src/platform/http/pagination/page.query.js';
import type { BenchmarkContext } from '../context.js';
import { randomPositions } from '../data/dataset.js';
import { ensureFollowers, type Follower } from '../data/followers.js';
import { type Contender, runContest } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import { specOf } from './dialects.js';
import { closedPlan } from './plans.js';
import type { Suite } from './suite.js';

const FOLLOWS = [10, 1_000, 5_000];
/** With 100 connections, readers of a thousand writers and more would queue until some are refused. */
const CONNECTIONS = 4;
const MOST_PAGES = 5_000;
/** Number of posts in a home timeline. */
const NEWEST = 800;
/** A page reads one extra row to find out whether there is a next page. */
const LAST_START = NEWEST - DEFAULT_LIMIT - 1;

/** Returns full pages from anywhere among the newest posts, or among all older posts. A short feed has fewer. */
function pagesOf(context: BenchmarkContext, { id, posts }: Follower, seed: number, isOlder = false): PreparedRequest[] {
  const codec = new CursorCodec(`cursor:${context.tokenSecret}`);
  const headers = { authorization: `Bearer ${context.tokenOf(id)}` };
  const last = Math.max(1, posts.length - DEFAULT_LIMIT);
  const [from, to] = isOlder ? [NEWEST, last] : [0, Math.min(last, LAST_START)];
  const starts = randomPositions(to - from, seed)
    .slice(0, MOST_PAGES)
    .map((start) => from + start);
  return starts.map((start) => {
    const search = start === 0 ? '' : `?cursor=${codec.encode(followingScopeOf(id), posts[start - 1]!)}`;
    const ids = posts.slice(start, start + DEFAULT_LIMIT).map((post) => post.id);
    return { method: 'GET', path: `/v1/feed/following${search}`, headers, expect: { status: 200, ids } };
  });
}

export const FEED_FOLLOWING: Suite = {
  name: 'feed-following',
  title: 'Following feed',
  question:
    'Pages among the newest 800 posts of the people one follows, by accounts that follow ten, a thousand and five thousand writers (or all there are), and among the older ones; credentials pass every cache.',
  async run(context) {
    const dataset = await context.dataset();
    const followers = await ensureFollowers(dataset.product, FOLLOWS);
    const nameOf = ({ follows }: Follower, isOlder = false) => `product@follows${follows}${isOlder ? '-older' : ''}`;
    const contenderOf = (follower: Follower, isOlder = false): Contender => ({
      subject: nameOf(follower, isOlder),
      // Tasks fill the timelines in the untimed seconds.
      spec: () => specOf('product', dataset, { env: { JOBS_ENABLED: 'true' } }),
      plan: () => closedPlan(context, pagesOf(context, follower, dataset.seed, isOlder), { connections: CONNECTIONS }),
    });
    const [few, ...many] = followers as [Follower, ...Follower[]];
    const older = many.filter(({ posts }) => posts.length > NEWEST + DEFAULT_LIMIT).slice(-1);
    await runContest(context, {
      suite: 'feed-following',
      contenders: [
        ...followers.map((follower) => contenderOf(follower)),
        ...older.map((follower) => contenderOf(follower, true)),
      ],
      ratios: [
        ...many.map((follower): [string, string] => [nameOf(follower), nameOf(few)]),
        ...older.map((follower): [string, string] => [nameOf(follower, true), nameOf(few)]),
      ],
    });
  },
};
