import { DEFAULT_LIMIT } from '../../src/platform/http/pagination/page.query.js';
import { randomPositions } from '../data/dataset.js';
import { runContest, type Contender } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import { type ExpressStyle, NAIVE_STYLE } from '../peers/peer.js';
import { FeedPages, orderOf, specOf } from './dialects.js';
import { closedPlan } from './plans.js';
import type { Suite } from './suite.js';

type Step = { label: string; style?: Partial<ExpressStyle>; isClustered?: boolean };

/** Each step includes the previous steps. */
const STEPS: Step[] = [
  { label: '1-naive' },
  { label: '2-snapshot', style: { hasSnapshot: true } },
  { label: '3-preview', style: { hasPreview: true } },
  { label: '4-lean', style: { isLean: true } },
  { label: '5-keyset', style: { hasKeyset: true } },
  { label: '6-ttl-cache', style: { hasCache: true } },
  { label: '7-cluster', isClustered: true },
];

const PAGES_IN_MIX = 200;

/** Four of five requests open the feed, and one continues from a random position, so that both skip and cache have an effect. */
function mixOf(pages: FeedPages): PreparedRequest[] {
  const positions = randomPositions(Math.max(1, pages.length - DEFAULT_LIMIT), 5).slice(0, PAGES_IN_MIX);
  return positions.flatMap((position) => [...Array.from({ length: 4 }, () => pages.at(0)), pages.at(position + 1)]);
}

export const JOURNEY: Suite = {
  name: 'journey',
  title: 'The journey',
  question:
    'The feed route from its naive Express form to this product, one technique at a time; 80 % the first page, 20 % a random one.',
  async run(context) {
    const dataset = await context.dataset();
    let style = NAIVE_STYLE;
    const steps = STEPS.map((step): Contender => {
      style = { ...style, ...step.style };
      const own = style;
      const reading = own.hasKeyset ? 'express-optimised' : 'express-naive';
      return {
        subject: `express@${step.label}`,
        spec: () => ({
          kind: 'peer',
          name: reading,
          database: dataset.caseA.databaseName,
          style: own,
          ...(step.isClustered ? { workers: Math.max(2, context.cores) } : {}),
        }),
        plan: async () => closedPlan(context, mixOf(new FeedPages(reading, await orderOf(reading, dataset), context))),
      };
    });
    const last: Contender = {
      subject: 'product',
      spec: () => specOf('product', dataset),
      plan: async () => closedPlan(context, mixOf(new FeedPages('product', await dataset.productOrder(), context))),
    };
    const labels = steps.map((step) => step.subject);
    await runContest(context, {
      suite: 'journey',
      isExclusive: true,
      contenders: [...steps, last],
      ratios: [
        ...labels.slice(1).map((label, index): [string, string] => [label, labels[index]!]),
        ['product', labels.at(-1)!],
        ['product', labels[0]!],
      ],
    });
  },
};
