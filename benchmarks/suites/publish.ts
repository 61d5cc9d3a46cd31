import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import type { BenchmarkContext } from '../context.js';
import type { Dataset } from '../data/dataset.js';
import { ensureAuthors } from '../data/followers.js';
import { type Contender, runContest } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import { round } from '../harness/results.js';
import { median } from '../harness/statistics.js';
import { specOf } from './dialects.js';
import { steadyPhases } from './hot-reads.js';
import { openPlan } from './plans.js';
import { SEARCHING } from './search.js';
import type { Suite } from './suite.js';
import { COUNTING } from './writes.js';
import { textOf } from './writing.js';

const FOLLOWERS = 100;
/** With this many authors, two posts of one author rarely arrive at the same moment. */
export const AUTHORS = 50;
/** At this rate the background work of a post also completes in the timed seconds. */
export const POSTS_PER_SECOND = 20;
export const WARMUP_SECONDS = 10;
const POST_LENGTH = 4_000;
const TEXTS = 100;
const DONE_WITHIN_MS = 300_000;
/** Runs the background work of a post, or of its deletion, at once, because this work is a part of the cost. */
const NO_GRACE = { CLEANUP_DELAY_MS: '0' };

export const PUBLISH: Suite = {
  name: 'publish',
  title: 'Publishing',
  question: `New posts at ${POSTS_PER_SECOND}/s (open loop): of authors without followers and with no search index, and of authors with ${FOLLOWERS} followers each, whose timelines are written, and with an index. CPU is that of all processes; \`behindMs\`: how long after the last post its background work was done.`,
  async run(context) {
    const dataset = await context.dataset();
    const alone = await contenderOf(context, dataset, 'product@alone', 0, { SEARCH: 'off' });
    const followed = await contenderOf(context, dataset, 'product@followed', FOLLOWERS, SEARCHING);
    const results = await runContest(context, {
      suite: PUBLISH.name,
      // Two servers on one database would do each other's work.
      isExclusive: true,
      hasOwnWarmup: true,
      maxRuns: 2,
      contenders: [alone.contender, followed.contender],
      ratios: [['product@followed', 'product@alone']],
    });
    for (const result of results) {
      const { behindMs } = result.subject === 'product@alone' ? alone : followed;
      result.extra = { ...result.extra, behindMs: round(median(behindMs), 0) };
    }
  },
};

/** @param prepare of each author, before a run; returns what takes it back */
export async function contenderOf(
  context: BenchmarkContext,
  dataset: Dataset,
  subject: string,
  followers: number,
  env: Record<string, string>,
  prepare?: (url: string, authorization: string) => Promise<() => Promise<void>>,
): Promise<{ contender: Contender; behindMs: number[] }> {
  const authors = await ensureAuthors(dataset.product, AUTHORS, followers);
  const authorizationOf = (id: string): string => `Bearer ${context.tokenOf(id)}`;
  const requests = textsOf(followers).map((body, at): PreparedRequest => {
    const authorization = authorizationOf(authors[at % authors.length]!);
    const headers = { authorization, 'content-type': 'application/json' };
    const expect = { status: 201, members: { title: body.title } };
    return { method: 'POST', path: '/v1/posts', headers, body: JSON.stringify(body), expect };
  });
  const behindMs: number[] = [];
  let url = '';
  let undo: (() => Promise<void>)[] = [];
  const contender: Contender = {
    subject,
    spec: () => specOf('product', dataset, { env: { ...COUNTING, ...NO_GRACE, ...env } }),
    plan: async (running) => {
      url = running.url;
      await untilDone(dataset);
      if (prepare !== undefined) undo = await Promise.all(authors.map((id) => prepare(url, authorizationOf(id))));
      return openPlan(requests, steadyPhases(context, POSTS_PER_SECOND, WARMUP_SECONDS));
    },
    beside: () =>
      Promise.resolve(async () => {
        behindMs.push(await untilDone(dataset));
        await Promise.all(undo.map((each) => each()));
        for (const id of authors) await deletePosts(dataset, id, url, authorizationOf(id));
        await untilDone(dataset);
      }),
  };
  return { contender, behindMs };
}

/** @param followers number in the titles */
export function textsOf(followers: number) {
  return Array.from({ length: TEXTS }, (_, at) => {
    const title = `What is written for ${followers} people, part ${at}`;
    return { title, content: textOf(POST_LENGTH, `text ${at}`), type: 'article', tags: ['benchmark'] };
  });
}

/** Resolves when no task is due. @returns the wait in milliseconds */
export async function untilDone({ product }: Dataset): Promise<number> {
  const begunAt = performance.now();
  // Drafts of other suites have tasks that are due in a month.
  const isDue = { $expr: { $lte: ['$dueAt', '$$NOW'] } };
  const waiting = product.collection('tasks').find(isDue, { projection: { _id: 1 }, limit: 1 });
  for (; (await waiting.clone().next()) !== null; await sleep(10))
    if (performance.now() - begunAt > DONE_WITHIN_MS) throw new Error('the tasks were not done in time');
  return performance.now() - begunAt;
}

/** Restores the dataset for the next suites. */
async function deletePosts({ product }: Dataset, authorId: string, url: string, authorization: string): Promise<void> {
  const filter = { authorId: ObjectId.createFromHexString(authorId), isListed: true };
  for await (const { _id } of product.collection('posts').find(filter, { projection: { _id: 1 } })) {
    const { status } = await fetch(`${url}/v1/posts/${String(_id)}`, { method: 'DELETE', headers: { authorization } });
    if (status !== 204) throw new Error(`a post could not be deleted: ${status}`);
  }
}
