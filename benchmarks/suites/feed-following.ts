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
/** With a hundred at once those of a thousand writers and more would queue until some are refused. */
const CONNECTIONS = 4;
/** Full pages from anywhere in the feed; a short feed has fewer. */
const MOST_PAGES = 5_000;

function pagesOf(context: BenchmarkContext, { id, posts }: Follower, seed: number): PreparedRequest[] {
  const codec = new CursorCodec(`cursor:${context.tokenSecret}`);
  const headers = { authorization: `Bearer ${context.tokenOf(id)}` };
  const starts = randomPositions(Math.max(1, posts.length - DEFAULT_LIMIT), seed).slice(0, MOST_PAGES);
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
    'Pages from anywhere in the feed of the people one follows, by accounts that follow ten, a thousand and five thousand writers (or all there are); credentials pass every cache.',
  async run(context) {
    const dataset = await context.dataset();
    const followers = await ensureFollowers(dataset.product, FOLLOWS);
    const nameOf = ({ follows }: Follower) => `product@follows${follows}`;
    await runContest(context, {
      suite: 'feed-following',
      contenders: followers.map((follower): Contender => ({
        subject: nameOf(follower),
        spec: () => specOf('product', dataset),
        plan: () => closedPlan(context, pagesOf(context, follower, dataset.seed), { connections: CONNECTIONS }),
      })),
      ratios: followers.slice(1).map((follower) => [nameOf(follower), nameOf(followers[0]!)]),
    });
  },
};
