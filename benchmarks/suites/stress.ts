import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '../../seeds/demo-accounts.js';
import type { BenchmarkContext } from '../context.js';
import { randomPositions, type Dataset } from '../data/dataset.js';
import { type Contender, runContest } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import { type Result, round } from '../harness/results.js';
import { FeedPages, specOf } from './dialects.js';
import { closedPlan, openPlan } from './plans.js';
import type { Suite } from './suite.js';

const OVERLOAD_FACTOR = 5;
/** One hot page for every so many uncached ones. */
const HOT_EVERY = 5;
const OVERLOAD_SECONDS = 20;

/** Uncached pages by many accounts, and a hot one now and then. */
async function overloadMix(context: BenchmarkContext, dataset: Dataset, withHot: boolean): Promise<PreparedRequest[]> {
  const users = await dataset.users(500);
  const order = await dataset.productOrder();
  const pages = new FeedPages('product', order, context);
  const positions = randomPositions(Math.max(1, order.posts.length - 21), 17).slice(0, 20_000);
  return positions.map((position, index) => {
    if (withHot && index % HOT_EVERY === 0) return pages.at(0);
    const authorization = `Bearer ${context.tokenOf(users[index % users.length]!.id)}`;
    return { ...pages.at(position + 1), headers: { authorization } };
  });
}

const OVERLOAD: Suite = {
  name: 'overload',
  title: 'Overload',
  question: `An open loop at ${OVERLOAD_FACTOR} times the peak rate of uncached pages: goodput against the peak; what is refused must be refused at once.`,
  async run(context) {
    const dataset = await context.dataset();
    const requests = await overloadMix(context, dataset, true);
    const spec = () => specOf('product', dataset);
    const [peak] = await runContest(context, {
      suite: 'overload',
      contenders: [{ subject: 'product@peak', spec, plan: () => closedPlan(context, requests, { connections: 50 }) }],
      ratios: [],
    });
    if (!peak) return;
    const rate = peak.requestsPerSecond * OVERLOAD_FACTOR;
    const seconds = Math.max(2, OVERLOAD_SECONDS / context.options.scale);
    const phases = [{ name: '', seconds, fromPerSecond: rate, toPerSecond: rate, isTimed: true }];
    const before = context.results.length;
    await runContest(context, {
      suite: 'overload',
      mayRefuse: true,
      maxRuns: 2,
      contenders: [
        { subject: 'product@5x', spec, plan: () => ({ ...openPlan(requests, phases, 2_000), timeoutSeconds: 10 }) },
      ],
      ratios: [],
    });
    for (const over of context.results.slice(before)) addGoodput(context, over, peak);
  },
};

/** Goodput: answers with the wanted page, per second. */
function addGoodput(context: BenchmarkContext, over: Result, peak: Result): void {
  const good = over.succeededPerSecond;
  over.extra = {
    ...over.extra,
    goodputPerSecond: good,
    refusedPerSecond: round(over.requestsPerSecond - good, 1),
    timeouts: over.timeouts,
  };
  context.progress.line(`overload           goodput ${good}/s of ${peak.requestsPerSecond}/s at the peak`);
  context.ratios.push({
    suite: 'overload',
    metric: 'goodput',
    subject: over.subject,
    against: peak.subject,
    value: round(good / peak.requestsPerSecond, 4),
  });
}

const STORM_CONNECTIONS = 20;
const HOT_READS_PER_SECOND = 500;

const LOGIN_STORM: Suite = {
  name: 'login-storm',
  title: 'Login storm',
  question: `Hot reads at ${HOT_READS_PER_SECOND}/s (open loop), alone and while ${STORM_CONNECTIONS} connections sign in as fast as they can: p99 of the reads.`,
  async run(context) {
    const dataset = await context.dataset();
    const seconds = Math.max(2, OVERLOAD_SECONDS / context.options.scale);
    const steady = { fromPerSecond: HOT_READS_PER_SECOND, toPerSecond: HOT_READS_PER_SECOND };
    const phases = [
      { name: 'warm-up', seconds: 1, ...steady, isTimed: false },
      { name: '', seconds, ...steady, isTimed: true },
    ];
    const spec = () => specOf('product', dataset, { env: { RATE_LIMIT_AUTH_PER_MINUTE: '1000000' } });
    const plan: Contender['plan'] = async () => {
      const pages = new FeedPages('product', await dataset.productOrder(), context);
      return openPlan([pages.at(0)], phases);
    };
    const logins = DEMO_ACCOUNTS.map(({ username }): PreparedRequest => ({
      method: 'POST',
      path: '/v1/auth/login',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ login: username, password: DEMO_PASSWORD }),
      expect: { status: 200 },
    }));
    await runContest(context, {
      suite: 'login-storm',
      maxRuns: 3,
      contenders: [
        { subject: 'product@idle', spec, plan },
        {
          subject: 'product@storm',
          spec,
          plan,
          background: () =>
            ({ ...closedPlan(context, logins), connections: STORM_CONNECTIONS, seconds: 3_600 }) as ReturnType<
              typeof closedPlan
            >,
        },
      ],
      ratios: [['product@storm', 'product@idle']],
    });
  },
};

export const STRESS_SUITES: Suite[] = [OVERLOAD, LOGIN_STORM];
