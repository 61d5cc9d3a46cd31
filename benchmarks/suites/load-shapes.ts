import type { BenchmarkContext } from '../context.js';
import { DEFAULT_LIMIT } from '../../src/platform/http/pagination/page.query.js';
import { randomPositions } from '../data/dataset.js';
import { runContest, type Contender, type Contest } from '../harness/contest.js';
import type { LoadPhase } from '../harness/load-plan.js';
import { FeedPages, orderOf, specOf, UNCACHED, type ReadingSubject } from './dialects.js';
import { nodeHttpContender } from './hot-answers.js';
import { closedPlan, FreshSlices, openPlan } from './plans.js';
import { randomLimitMix } from './reads.js';
import type { Suite } from './suite.js';

/** Returns the case study's three phases, 8,600 requests with the ramp, after an untimed second that opens connections. */
export function simulationPhases(scale: number): LoadPhase[] {
  const phase = (name: string, seconds: number, fromPerSecond: number, toPerSecond: number): LoadPhase => ({
    name,
    seconds: seconds / scale,
    fromPerSecond,
    toPerSecond,
    isTimed: true,
  });
  return [
    { ...phase('warm-up', 2 * scale, 100, 100), isTimed: false },
    phase('steady', 30, 10, 10),
    phase('ramp', 60, 10, 100),
    phase('burst', 10, 500, 500),
  ];
}

const SIMULATION: Suite = {
  name: 'simulation',
  title: 'Simulation',
  question:
    'An open loop: 30 s at 10/s, 60 s rising from 10/s to 100/s, 10 s at 500/s; 70 % the feed, 30 % random limits; latency from the intended send time.',
  async run(context) {
    const dataset = await context.dataset();
    const phases = simulationPhases(context.options.scale);
    const requests = async (subject: ReadingSubject) =>
      randomLimitMix(new FeedPages(subject, await orderOf(subject, dataset), context), 1_000);
    const contender = (subject: ReadingSubject): Contender => ({
      subject,
      spec: () => specOf(subject, dataset),
      plan: async () => openPlan(await requests(subject), phases),
    });
    await runContest(context, {
      suite: 'simulation',
      // A run takes a hundred seconds.
      maxRuns: 2,
      contenders: [
        nodeHttpContender(
          context,
          specOf('product', dataset),
          () => requests('product'),
          (prepared) => openPlan(prepared, phases),
        ),
        contender('express-optimised'),
        contender('product'),
      ],
    });
  },
};

/** Reads cold pages for one subject setting after the other, each with its own pages. */
export async function contestSettings(
  context: BenchmarkContext,
  suite: string,
  settings: { label: string; workers: number; env?: Record<string, string> }[],
  { seconds = context.options.seconds, ...changes }: Partial<Contest> & { seconds?: number } = {},
): Promise<void> {
  const dataset = await context.dataset();
  const { posts } = await dataset.productOrder();
  const slices = new FreshSlices(randomPositions(posts.length - 1, dataset.seed), context.options.runs);
  const users = await dataset.users(200);
  const first = settings[0]!;
  await runContest(context, {
    ...changes,
    suite,
    isExclusive: true,
    contenders: settings.map(({ label, workers, env }) => ({
      subject: `product@${label}`,
      spec: () => specOf('product', dataset, { workers, env: { ...UNCACHED, ...env } }),
      plan: async () => {
        const pages = new FeedPages('product', await dataset.productOrder(), context);
        const requests = slices.next(label).map((position, index) => ({
          ...pages.at(position + 1),
          headers: { authorization: `Bearer ${context.tokenOf(users[index % users.length]!.id)}` },
        }));
        return { ...closedPlan(context, requests), seconds };
      },
    })),
    ratios: settings.slice(1).map((setting) => [`product@${setting.label}`, `product@${first.label}`]),
  });
}

const CLUSTER: Suite = {
  name: 'cluster',
  title: 'Cluster',
  question: 'Uncached feed pages with one process, and with 2, 4 … workers up to one per core (at least 2).',
  async run(context) {
    const most = Math.max(2, context.cores);
    const counts = [1, 2, 4, 8, 16, 32, 64].filter((count) => count <= most);
    if (!counts.includes(most)) counts.push(most);
    const settings = counts.map((workers) => ({ label: `${workers}-workers`, workers }));
    await contestSettings(context, 'cluster', settings);
  },
};

const SIZES = ['small', 'medium', 'full'] as const;

const GROWTH: Suite = {
  name: 'growth',
  title: 'Growth',
  question:
    'The same number of feed pages, each a query (with no cache), on datasets of growing size up to the chosen ' +
    'profile, all of them warmed up alike: the cost of a page must not follow.',
  async run(context) {
    const profiles = SIZES.slice(0, Math.max(1, SIZES.findIndex((size) => size === context.options.profile) + 1));
    const datasets = await Promise.all(profiles.map((profile) => context.dataset(profile)));
    const orders = await Promise.all(datasets.map((dataset) => dataset.productOrder()));
    // Each size repeats as many whole pages as the smallest size has.
    const lengths = orders.map(({ posts }) => posts.length - DEFAULT_LIMIT);
    const count = Math.min(...lengths);
    const contenders = datasets.map((dataset, at): Contender => {
      const positions = randomPositions(lengths[at]!, dataset.seed).slice(0, count);
      return {
        subject: `product@${dataset.profile}`,
        spec: () => specOf('product', dataset, { env: UNCACHED }),
        plan: async () => {
          const pages = new FeedPages('product', orders[at]!, context);
          return closedPlan(
            context,
            positions.map((position) => pages.at(position)),
          );
        },
      };
    });
    await runContest(context, {
      suite: 'growth',
      contenders,
      ratios: profiles.slice(1).map((profile) => [`product@${profile}`, `product@${profiles[0]}`]),
    });
  },
};

export const LOAD_SUITES: Suite[] = [SIMULATION, CLUSTER, GROWTH];
