import { DEFAULT_LIMIT } from '../../src/platform/http/pagination/page.query.js';
import type { BenchmarkContext } from '../context.js';
import { randomPositions, type Dataset } from '../data/dataset.js';
import { runContest, type Contender, type PlanInput } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import { FeedPages, orderOf, shapeOf, specOf, type ReadingSubject } from './dialects.js';
import { nodeHttpContender } from './hot-answers.js';
import { closedPlan, FreshSlices } from './plans.js';
import type { Suite } from './suite.js';

export type RequestsOf = (subject: ReadingSubject) => Promise<PreparedRequest[]>;
export type PlanOf = (requests: PreparedRequest[]) => PlanInput;

type ReadOptions = {
  planOf?: PlanOf;
  isCold?: boolean;
  /** Settings of the product. */
  env?: Record<string, string>;
  /** Contenders beside the subjects. */
  others?: Contender[];
  maxRuns?: number;
};

/** Runs the same read for every subject. `node-http` writes the product's bytes. */
export async function contestReads(
  context: BenchmarkContext,
  suite: string,
  dataset: Dataset,
  subjects: (ReadingSubject | 'node-http')[],
  requestsOf: RequestsOf,
  {
    planOf = (requests) => closedPlan(context, requests),
    isCold = false,
    env = {},
    others = [],
    maxRuns,
  }: ReadOptions = {},
): Promise<void> {
  const contenders = subjects.map((subject): Contender => {
    if (subject === 'node-http') {
      return nodeHttpContender(context, specOf('product', dataset, { env }), () => requestsOf('product'), planOf);
    }
    return {
      subject,
      spec: () => specOf(subject, dataset, { env }),
      plan: async () => planOf(await requestsOf(subject)),
    };
  });
  await runContest(context, {
    suite,
    contenders: [...contenders, ...others],
    isCold,
    ...(maxRuns !== undefined && { maxRuns }),
  });
}

export const HOT_SUBJECTS: (ReadingSubject | 'node-http')[] = [
  'node-http',
  'express-naive',
  'express-optimised',
  'product',
];
const COLD_SUBJECTS: ReadingSubject[] = ['raw-driver', 'express-naive', 'express-optimised', 'product'];

const firstPage =
  (context: BenchmarkContext, dataset: Dataset): RequestsOf =>
  async (subject) => [new FeedPages(subject, await orderOf(subject, dataset), context).at(0)];

const feedHot: Suite = {
  name: 'feed-hot',
  title: 'Feed, first page',
  question: '100 connections ask for the first page of the hot feed, which every cache holds.',
  async run(context) {
    const dataset = await context.dataset();
    await contestReads(context, 'feed-hot', dataset, HOT_SUBJECTS, firstPage(context, dataset));
  },
};

const feedStress: Suite = {
  name: 'feed-stress',
  title: 'Feed under stress',
  question: '500 connections with 10 pipelined requests each ask for the first page.',
  async run(context) {
    const dataset = await context.dataset();
    const connections = context.options.isQuick ? 100 : 500;
    const planOf: PlanOf = (requests) => closedPlan(context, requests, { connections, pipelining: 10 });
    const subjects: (ReadingSubject | 'node-http')[] = ['node-http', 'express-optimised', 'product'];
    await contestReads(context, 'feed-stress', dataset, subjects, firstPage(context, dataset), { planOf });
  },
};

/** Returns the mix of the case study: 70 % the default page, 30 % a limit of 1 to 50. */
export function randomLimitMix(pages: Pick<FeedPages, 'at'>, count: number): PreparedRequest[] {
  const order = randomPositions(count, 3);
  return order.map((draw) => (draw % 10 < 7 ? pages.at(0) : pages.at(0, 1 + (draw % 50))));
}

const feedRandomLimit: Suite = {
  name: 'feed-random-limit',
  title: 'Feed, random limits',
  question: '70 % of the requests ask for the default page, 30 % for a limit between 1 and 50.',
  async run(context) {
    const dataset = await context.dataset();
    await contestReads(context, 'feed-random-limit', dataset, HOT_SUBJECTS, async (subject) =>
      randomLimitMix(new FeedPages(subject, await orderOf(subject, dataset), context), 1_000),
    );
  },
};

const feedCold: Suite = {
  name: 'feed-cold',
  title: 'Feed, cold pages',
  question: 'Every request asks for another page, anywhere in the hot feed, so that no cache can help.',
  async run(context) {
    const dataset = await context.dataset();
    const { posts } = await dataset.productOrder();
    const positions = randomPositions(Math.max(1, posts.length - DEFAULT_LIMIT), dataset.seed).map(
      (position) => position + 1,
    );
    const slices = new FreshSlices(positions, context.options.runs);
    await contestReads(
      context,
      'feed-cold',
      dataset,
      COLD_SUBJECTS,
      async (subject) => {
        const pages = new FeedPages(subject, await orderOf(subject, dataset), context);
        return slices.next(subject).map((position) => pages.at(position));
      },
      { isCold: true },
    );
  },
};

export const postRequest = (id: string): PreparedRequest => ({
  method: 'GET',
  path: `/v1/posts/${id}`,
  expect: { status: 200, members: { id } },
});

const postHot: Suite = {
  name: 'post-hot',
  title: 'One post, hot',
  question: '100 connections read the same post, body included.',
  async run(context) {
    const dataset = await context.dataset();
    await contestReads(context, 'post-hot', dataset, HOT_SUBJECTS, async (subject) => {
      const { posts } = await orderOf(subject, dataset);
      return [postRequest(posts[0]!.id)];
    });
  },
};

const postCold: Suite = {
  name: 'post-cold',
  title: 'Posts, cold',
  question: 'Every request reads another post, body included.',
  async run(context) {
    const dataset = await context.dataset();
    const { posts } = await dataset.productOrder();
    const slices = new FreshSlices(randomPositions(posts.length, dataset.seed), context.options.runs);
    await contestReads(
      context,
      'post-cold',
      dataset,
      COLD_SUBJECTS,
      async (subject) => slices.next(subject).map((position) => postRequest(posts[position]!.id)),
      { isCold: true },
    );
  },
};

async function commentRequests(subject: ReadingSubject, dataset: Dataset, count: number): Promise<PreparedRequest[]> {
  const pages = await dataset.commentPages(count, DEFAULT_LIMIT, shapeOf(subject, dataset));
  return pages.map(({ postId, commentIds }) => ({
    method: 'GET',
    path: `/v1/posts/${postId}/comments`,
    expect: { status: 200, ids: commentIds },
  }));
}

const commentsHot: Suite = {
  name: 'comments-hot',
  title: 'Comments, hot',
  question: '100 connections read the first page of comments of the most commented post.',
  async run(context) {
    const dataset = await context.dataset();
    await contestReads(context, 'comments-hot', dataset, HOT_SUBJECTS, (subject) =>
      commentRequests(subject, dataset, 1),
    );
  },
};

/** Returns more pages than posts, or the fastest subject would read some twice: each post with several limits, in random order. */
async function coldCommentRequests(subject: ReadingSubject, dataset: Dataset): Promise<PreparedRequest[]> {
  const limits = [DEFAULT_LIMIT - 1, DEFAULT_LIMIT, DEFAULT_LIMIT + 1];
  const pages = await dataset.commentPages(50_000, Math.max(...limits), shapeOf(subject, dataset));
  const requests = pages.flatMap(({ postId, commentIds }) =>
    limits.map((limit): PreparedRequest => ({
      method: 'GET',
      path: `/v1/posts/${postId}/comments?limit=${limit}`,
      expect: { status: 200, ids: commentIds.slice(0, limit) },
    })),
  );
  return randomPositions(requests.length, dataset.seed).map((position) => requests[position]!);
}

const commentsCold: Suite = {
  name: 'comments-cold',
  title: 'Comments, cold',
  question: 'Every request reads another page of comments: of another post, or with another limit.',
  async run(context) {
    const dataset = await context.dataset();
    const all = new Map<ReadingSubject, FreshSlices<PreparedRequest>>();
    for (const subject of COLD_SUBJECTS) {
      all.set(subject, new FreshSlices(await coldCommentRequests(subject, dataset), context.options.runs));
    }
    const requestsOf: RequestsOf = async (subject) => all.get(subject)!.next(subject);
    await contestReads(context, 'comments-cold', dataset, COLD_SUBJECTS, requestsOf, { isCold: true });
  },
};

export const READ_SUITES: Suite[] = [
  feedHot,
  feedStress,
  feedRandomLimit,
  feedCold,
  postHot,
  postCold,
  commentsHot,
  commentsCold,
];
