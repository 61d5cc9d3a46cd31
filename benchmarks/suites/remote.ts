import type { BenchmarkContext } from '../context.js';
import { seededRandom, shuffled } from '../harness/statistics.js';
import { exchange, expectSame } from '../harness/capture.js';
import { type PlanInput, runContest } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import { simulationPhases } from './load-shapes.js';
import { closedPlan, openPlan } from './plans.js';
import type { Suite } from './suite.js';

type Page = { data: { id: string }[]; page: { nextCursor: string | null } };

/** Number of pages, with one request each, that are walked to find positions for the cold suite. */
const PAGES_TO_WALK = 500;

/** A remote server has no database and no /proc, so the requests come from its own responses, and CPU stays unknown. */
function remoteSuite(
  name: string,
  title: string,
  question: string,
  requestsOf: (url: string) => Promise<PreparedRequest[]>,
  planOf: (context: BenchmarkContext, requests: PreparedRequest[]) => PlanInput = (context, requests) =>
    closedPlan(context, requests),
): Suite {
  return {
    name,
    title,
    question,
    async run(context) {
      const url = context.options.target!;
      const plan = async () => planOf(context, await requestsOf(url));
      await runContest(context, {
        suite: name,
        contenders: [{ subject: 'target', spec: () => ({ kind: 'target', url }), plan }],
      });
    },
  };
}

/** Checks only the status of a page, because other clients may write at the same time. */
const page = (search = ''): PreparedRequest => ({ method: 'GET', path: `/v1/feed${search}`, expect: { status: 200 } });

async function read<T>(url: string, path: string): Promise<T> {
  const { status, body } = await exchange(url, { method: 'GET', path });
  if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${body.toString().slice(0, 200)}`);
  return JSON.parse(body.toString()) as T;
}

async function firstPost(url: string): Promise<string> {
  const [post] = (await read<Page>(url, '/v1/feed?limit=1')).data;
  if (!post) throw new Error('The feed of the target is empty.');
  return post.id;
}

async function coldPages(url: string): Promise<PreparedRequest[]> {
  const requests: PreparedRequest[] = [];
  let search = '?limit=100';
  while (requests.length < PAGES_TO_WALK) {
    const { nextCursor } = (await read<Page>(url, `/v1/feed${search}`)).page;
    if (nextCursor === null) break;
    search = `?limit=100&cursor=${nextCursor}`;
    requests.push(page(`?cursor=${nextCursor}`));
  }
  return shuffled(requests, seededRandom(1));
}

async function limitMix(): Promise<PreparedRequest[]> {
  const random = seededRandom(3);
  return Array.from({ length: 1_000 }, () =>
    random() < 0.7 ? page() : page(`?limit=${1 + Math.floor(random() * 50)}`),
  );
}

export const REMOTE_SUITES: readonly Suite[] = [
  remoteSuite('feed-hot', 'Feed, first page', '100 connections ask for the first page of the feed.', async () => [
    page(),
  ]),
  remoteSuite(
    'feed-stress',
    'Feed under stress',
    '500 connections with 10 pipelined requests each ask for the first page.',
    async () => [page()],
    (context, requests) => closedPlan(context, requests, { connections: 500, pipelining: 10 }),
  ),
  remoteSuite('feed-random-limit', 'Feed, random limits', '70 % the default page, 30 % a limit of 1 to 50.', limitMix),
  remoteSuite('feed-cold', 'Feed, cold pages', 'Pages from all over the feed, in random order.', coldPages),
  remoteSuite('post-hot', 'One post, hot', '100 connections read the first post of the feed.', async (url) => [
    { method: 'GET', path: `/v1/posts/${await firstPost(url)}`, expect: { status: 200 } },
  ]),
  remoteSuite('comments-hot', 'Comments, hot', '100 connections read the comments of the first post.', async (url) => [
    { method: 'GET', path: `/v1/posts/${await firstPost(url)}/comments`, expect: { status: 200 } },
  ]),
  remoteSuite('top-writers', 'Top writers', 'The writers with the most likes per post.', async (url) => [
    {
      method: 'GET',
      path: '/v1/users/top',
      expect: expectSame((await exchange(url, { method: 'GET', path: '/v1/users/top' })).body),
    },
  ]),
  remoteSuite(
    'simulation',
    'Simulation',
    'An open loop: 30 s at 10/s, 60 s rising to 100/s, 10 s at 500/s; latency from the intended send time.',
    limitMix,
    (context, requests) => openPlan(requests, simulationPhases(context.options.scale)),
  ),
];
