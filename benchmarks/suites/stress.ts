import { availableParallelism } from 'node:os';
import { hash } from '@node-rs/argon2';
import { ObjectId } from 'mongodb';
import { DEMO_PASSWORD } from '../../src/common/demo-accounts.js';
import type { BenchmarkContext } from '../context.js';
import { randomPositions, type Dataset } from '../data/dataset.js';
import { runContest } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import { type Result, round } from '../harness/results.js';
import { FeedPages, specOf } from './dialects.js';
import { HOT_READS_PER_SECOND, HOT_SOCKETS, hotReads, runBeside, steadyPhases } from './hot-reads.js';
import { closedPlan, FreshSlices, openPlan } from './plans.js';
import type { Suite } from './suite.js';

const OVERLOAD_FACTOR = 5;
/** Large pages, so that one generator can still send a rate far above capacity on time. */
const COLD_LIMIT = 100;
/** Below the 1,000 connections per worker that the product accepts from one address. */
const FLOOD_SOCKETS = 500;
/** Opens all connections of the flood, because the suite measures the overload, not its beginning. */
const FLOOD_WARMUP_SECONDS = 5;

/** Returns pages that no cache holds, requested by many accounts. */
async function coldPages(context: BenchmarkContext, dataset: Dataset): Promise<PreparedRequest[]> {
  const users = await dataset.users(500);
  const order = await dataset.productOrder();
  const pages = new FeedPages('product', order, context);
  const starts = randomPositions(Math.max(1, order.posts.length - COLD_LIMIT - 1), 17).slice(0, 20_000);
  return starts.map((start, index) => {
    const authorization = `Bearer ${context.tokenOf(users[index % users.length]!.id)}`;
    return { ...pages.at(start + 1, COLD_LIMIT), headers: { authorization } };
  });
}

const OVERLOAD: Suite = {
  name: 'overload',
  title: 'Overload',
  question: `An open loop at ${OVERLOAD_FACTOR} times the peak rate of uncached pages: goodput against the peak, how fast the rest is refused, and what becomes of hot reads and health answers at the same time.`,
  async run(context) {
    const dataset = await context.dataset();
    const requests = await coldPages(context, dataset);
    // Uses half of the cores. The generators and mongod need the others, or the suite would measure their lack of CPU.
    const workers = Math.max(1, Math.floor(availableParallelism() / 2));
    const spec = () => specOf('product', dataset, { workers });
    const slices = new FreshSlices(requests, context.options.runs);
    const plan = () => closedPlan(context, slices.next('peak'), { connections: 50 });
    const [peak] = await runContest(context, {
      suite: 'overload',
      mayRefuse: true,
      isCold: true,
      contenders: [{ subject: 'product@peak', spec, plan }],
      ratios: [],
    });
    if (!peak) return;
    const hot = await hotReads(context, dataset);
    const rate = peak.succeededPerSecond * OVERLOAD_FACTOR;
    const results = await runContest(context, {
      suite: 'overload',
      maxRuns: 2,
      contenders: [
        {
          subject: 'hot reads@idle',
          spec,
          plan: () => openPlan(hot, steadyPhases(context, HOT_READS_PER_SECOND, FLOOD_WARMUP_SECONDS), HOT_SOCKETS),
        },
        {
          subject: 'hot reads@5x',
          spec,
          plan: () => openPlan(hot, steadyPhases(context, HOT_READS_PER_SECOND, FLOOD_WARMUP_SECONDS), HOT_SOCKETS),
          background: {
            subject: 'product@5x',
            plan: () => ({
              ...openPlan(requests, steadyPhases(context, rate, FLOOD_WARMUP_SECONDS), FLOOD_SOCKETS),
              timeoutSeconds: 10,
            }),
          },
        },
      ],
      ratios: [['hot reads@5x', 'hot reads@idle']],
    });
    const over = results.find(({ subject }) => subject === 'product@5x');
    if (over !== undefined) addGoodput(context, over, peak);
  },
};

/** Goodput: responses with the wanted page, per second. */
function addGoodput(context: BenchmarkContext, over: Result, peak: Result): void {
  const good = over.succeededPerSecond;
  over.extra = {
    ...over.extra,
    goodputPerSecond: good,
    refusedPerSecond: round(over.requestsPerSecond - good, 1),
    timeouts: over.timeouts,
  };
  context.progress.line(`overload           goodput ${good}/s of ${peak.succeededPerSecond}/s at the peak`);
  const pair = { suite: 'overload', subject: over.subject, against: peak.subject };
  context.ratios.push(
    { ...pair, metric: 'goodput', value: round(good / peak.succeededPerSecond, 4) },
    { ...pair, metric: 'timeouts', value: over.timeouts },
  );
  if (over.rssMiB !== null && peak.rssMiB !== null)
    context.ratios.push({ ...pair, metric: 'memory', value: round(over.rssMiB / peak.rssMiB, 4) });
}

const STORM_ACCOUNTS = 200;
/** Several times the capacity of one core. */
const LOGINS_PER_SECOND = 100;

/** Gives accounts of the dataset a password. Each signs in once, or the limit for guesses would respond. */
export async function stormLogins(dataset: Dataset): Promise<PreparedRequest[]> {
  const users = await dataset.users(STORM_ACCOUNTS);
  // Uses the cost of the product, or each first sign-in would make a second hash.
  const passwordHash = await hash(DEMO_PASSWORD, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  await dataset.product.collection('credentials').bulkWrite(
    users.map(({ id }) => ({
      updateOne: {
        filter: { _id: new ObjectId(id) },
        update: {
          $setOnInsert: { email: `storm-${id}@example.com` },
          $set: { passwordHash, updatedAt: new Date() },
        },
        upsert: true,
      },
    })),
  );
  // Unfinished sign-ins of a stopped server count as failures.
  await dataset.product.collection('sign_in_failures').deleteMany({});
  return users.map(({ username }) => ({
    method: 'POST',
    path: '/v1/auth/login',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ login: username, password: DEMO_PASSWORD }),
    expect: { status: 200 },
  }));
}

const LOGIN_STORM: Suite = {
  name: 'login-storm',
  title: 'Login storm',
  question: `Hot reads at ${HOT_READS_PER_SECOND}/s (open loop), alone and while ${LOGINS_PER_SECOND} people a second sign in, more than can be hashed: p99 of the reads, and what the people are answered.`,
  async run(context) {
    const dataset = await context.dataset();
    const logins = await stormLogins(dataset);
    await runBeside(context, dataset, {
      suite: 'login-storm',
      spec: () => specOf('product', dataset, { env: { RATE_LIMIT_AUTH_PER_MINUTE: '1000000' } }),
      beside: {
        background: {
          subject: 'logins@storm',
          plan: () => openPlan(logins, steadyPhases(context, LOGINS_PER_SECOND, 1)),
        },
      },
    });
  },
};

export const STRESS_SUITES: Suite[] = [OVERLOAD, LOGIN_STORM];
