import { createSigner } from 'fast-jwt';
import { ObjectId } from 'mongodb';
import type { Dataset, Order } from '../data/dataset.js';
import { type Contender, runContest } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import { seededRandom, shuffled } from '../harness/statistics.js';
import { ARTICLES_LIMIT, WELCOME } from '../peers/opencanvas-wire.js';
import { FeedPages, orderOf, specOf } from './dialects.js';
import { simulationPhases } from './load-shapes.js';
import { closedPlan, openPlan } from './plans.js';
import { contestReads, HOT_SUBJECTS, type PlanOf, randomLimitMix, type RequestsOf } from './reads.js';
import type { Suite } from './suite.js';
import { COUNTING, writePlan } from './writes.js';

/** Signs the tokens of accounts that came from OpenCanvas. */
const JWT_SECRET = 'a secret of the benchmark for tokens of OpenCanvas';
/** The load of OpenCanvas needs no other address. */
const AT_ROOT = { OPENCANVAS_API: '/', OPENCANVAS_JWT_SECRET: JWT_SECRET };

/** Requests `/articles` like clients of OpenCanvas, in place of pages of the feed. */
const articlesOf = ({ posts }: Order): Pick<FeedPages, 'at'> => ({
  at: (_start, limit) => {
    const ids = posts.slice(0, limit ?? ARTICLES_LIMIT).map((post) => post.id);
    const path = limit === undefined ? '/articles' : `/articles?limit=${limit}`;
    return { method: 'GET', path, expect: { status: 200, ids, members: { success: true, results: ids.length } } };
  },
});

const firstArticles =
  (dataset: Dataset): RequestsOf =>
  async (subject) => [articlesOf(await orderOf(subject, dataset)).at(0)];

const articlesHot: Suite = {
  name: 'articles-hot',
  title: 'OpenCanvas: its autocannon script',
  question: '100 connections ask for /articles; product@v1 is GET /v1/feed of the same server, with the same limit.',
  async run(context) {
    const dataset = await context.dataset();
    const v1: Contender = {
      subject: 'product@v1',
      spec: () => specOf('product', dataset, { env: AT_ROOT }),
      plan: async () =>
        closedPlan(context, [new FeedPages('product', await dataset.productOrder(), context).at(0, ARTICLES_LIMIT)]),
    };
    const options = { env: AT_ROOT, others: [v1] };
    await contestReads(context, 'articles-hot', dataset, HOT_SUBJECTS, firstArticles(dataset), options);
  },
};

const articlesStress: Suite = {
  name: 'articles-stress',
  title: 'OpenCanvas: its autocannon script, under stress',
  question: '500 connections with 10 pipelined requests each ask for /articles.',
  async run(context) {
    const dataset = await context.dataset();
    const connections = context.options.isQuick ? 100 : 500;
    const planOf: PlanOf = (requests) => closedPlan(context, requests, { connections, pipelining: 10 });
    const options = { env: AT_ROOT, planOf };
    const subjects = HOT_SUBJECTS.filter((subject) => subject !== 'express-naive');
    await contestReads(context, 'articles-stress', dataset, subjects, firstArticles(dataset), options);
  },
};

const welcome: Suite = {
  name: 'welcome',
  title: 'OpenCanvas: its root',
  question: '100 connections ask for /, which reads nothing and is not cached.',
  async run(context) {
    const dataset = await context.dataset();
    const requests: PreparedRequest[] = [{ method: 'GET', path: '/', expect: { status: 200, members: WELCOME } }];
    const subjects = ['express-optimised', 'product'] as const;
    await contestReads(context, 'welcome', dataset, [...subjects], async () => requests, { env: AT_ROOT });
  },
};

const articlesSimulation: Suite = {
  name: 'articles-simulation',
  title: 'OpenCanvas: its artillery configuration',
  question:
    'An open loop: 30 s at 10/s, 60 s rising from 10/s to 100/s, 10 s at 500/s; 70 % /articles, 30 % with random limits. Express, naive, is far beyond its capacity there.',
  async run(context) {
    const dataset = await context.dataset();
    const phases = simulationPhases(context.options.scale);
    const requestsOf: RequestsOf = async (subject) =>
      randomLimitMix(articlesOf(await orderOf(subject, dataset)), 1_000);
    const options = { env: AT_ROOT, planOf: (requests: PreparedRequest[]) => openPlan(requests, phases), maxRuns: 2 };
    const subjects = HOT_SUBJECTS.filter((subject) => subject !== 'express-naive');
    await contestReads(context, 'articles-simulation', dataset, subjects, requestsOf, options);
  },
};

export const OPENCANVAS_READ_SUITES: Suite[] = [articlesHot, articlesStress, welcome, articlesSimulation];

type Vote = { userId: string; postId: string; value: 'like' | 'dislike' };
type VoteRow = { userId: ObjectId; targetId: ObjectId; value: Vote['value'] };

/** Few accounts, so that each token is sent often: a token is valid for seven days, and its first request also reads the account. */
const VOTERS = 100;
const MAX_VOTES = 20_000;
const JSON_TYPE = { 'content-type': 'application/json' };
const OTHER = { like: 'dislike', dislike: 'like' } as const;

/** Returns existing votes, so that every toggle switches one. A second toggle of an account on a post restores the vote. */
async function votesOf(dataset: Dataset): Promise<Vote[]> {
  const users = await dataset.users(VOTERS);
  const { posts } = await dataset.productOrder();
  const listed = new Set(posts.map((post) => post.id));
  const rows = await dataset.product
    .collection<VoteRow>('interactions')
    .find({ userId: { $in: users.map(({ id }) => new ObjectId(id)) }, kind: 'vote', targetModel: 'Post' })
    .toArray();
  const votes = rows.map(({ userId, targetId, value }) => ({
    userId: String(userId),
    postId: String(targetId),
    value,
  }));
  const found = votes.filter(({ postId }) => listed.has(postId));
  return shuffled(found, seededRandom(dataset.seed)).slice(0, MAX_VOTES);
}

/** Creates credentials like an import: an address, and no password. */
async function importVoters(dataset: Dataset, ids: string[]): Promise<void> {
  const now = new Date();
  await dataset.product.collection('credentials').bulkWrite(
    ids.map((id) => ({
      updateOne: {
        filter: { _id: new ObjectId(id) },
        update: {
          $set: { email: emailOf(id), emailVerifiedAt: now, importedAt: now, updatedAt: now },
          $setOnInsert: { passwordHash: null },
        },
        upsert: true,
      },
    })),
  );
}

const emailOf = (id: string): string => `voter-${id}@example.com`;

export const VOTE_TOGGLED: Suite = {
  name: 'vote-toggled',
  title: 'OpenCanvas: votes',
  question: 'Many accounts switch their votes on many posts by POST /post/like-dislike; product@v1: by PUT /v1/…/vote.',
  async run(context) {
    const dataset = await context.dataset();
    const votes = await votesOf(dataset);
    await importVoters(dataset, [...new Set(votes.map(({ userId }) => userId))]);
    const sign = createSigner({ key: JWT_SECRET, algorithm: 'HS256', expiresIn: 86_400_000 });
    const toggle = ({ userId, postId }: Vote, vote: Vote['value']): PreparedRequest => ({
      method: 'POST',
      path: '/post/like-dislike',
      headers: { ...JSON_TYPE, authorization: `Bearer ${sign({ userId, email: emailOf(userId) })}` },
      body: JSON.stringify({ postId, vote }),
      expect: { status: 200, members: { success: true, message: 'Vote switched' } },
    });
    const put = ({ userId, postId }: Vote, value: Vote['value']): PreparedRequest => ({
      method: 'PUT',
      path: `/v1/posts/${postId}/vote`,
      headers: { ...JSON_TYPE, authorization: `Bearer ${context.tokenOf(userId)}` },
      body: JSON.stringify({ value }),
      expect: { status: 200, members: { targetId: postId, value } },
    });
    // A run that ends between the two votes of a round does not restore one vote, so each run has its own votes.
    const parts = 2 * context.options.runs;
    const contender = (subject: string, first: number, request: typeof toggle): Contender => ({
      subject,
      spec: () => specOf('product', dataset, { env: { ...COUNTING, ...AT_ROOT } }),
      plan: (_running, run) =>
        writePlan(
          context,
          roundsOf(
            votes.filter((_, at) => at % parts === 2 * run + first),
            request,
          ),
        ),
    });
    const contenders = [contender('product@v1', 0, put), contender('product', 1, toggle)];
    await runContest(context, { suite: 'vote-toggled', contenders, ratios: [['product', 'product@v1']] });
  },
};

/** Per account, the round switches all votes and then restores all. */
function roundsOf(votes: Vote[], request: (vote: Vote, value: Vote['value']) => PreparedRequest): PreparedRequest[][] {
  const byUser = new Map<string, Vote[]>();
  for (const vote of votes) byUser.set(vote.userId, [...(byUser.get(vote.userId) ?? []), vote]);
  return [...byUser.values()].map((own) => [
    ...own.map((vote) => request(vote, OTHER[vote.value])),
    ...own.map((vote) => request(vote, vote.value)),
  ]);
}
