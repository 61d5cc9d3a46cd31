import { randomPositions } from '../data/dataset.js';
import { type Contender, runContest } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import { FeedPages, specOf } from './dialects.js';
import { nodeHttpContender } from './hot-answers.js';
import { closedPlan, FreshSlices } from './plans.js';
import type { Suite } from './suite.js';

/** posts of a page of the site */
const CARDS = 20;
/** The list of top writers stays cached for minutes. */
const COLD = { CACHE_FEED_TTL_MS: '0' };

const pageHot: Suite = {
  name: 'page-hot',
  title: 'Home page of the site',
  question: '100 connections ask for the home page as HTML, which the cache holds; node-http writes the same bytes.',
  async run(context) {
    const product = specOf('product', await context.dataset());
    const requests = async (): Promise<PreparedRequest[]> => [{ method: 'GET', path: '/hot', expect: { status: 200 } }];
    const plan = (list: PreparedRequest[]) => closedPlan(context, list);
    await runContest(context, {
      suite: 'page-hot',
      contenders: [
        nodeHttpContender(context, product, requests, plan),
        { subject: 'product', spec: () => product, plan: async () => plan(await requests()) },
      ],
    });
  },
};

const pageCold: Suite = {
  name: 'page-cold',
  title: 'Home page, cold pages',
  question: `Every request asks for another page of ${CARDS} posts of the hot feed, with no cache: as HTML of the site, and as JSON.`,
  async run(context) {
    const dataset = await context.dataset();
    const order = await dataset.productOrder();
    const pages = new FeedPages('product', order, context);
    const positions = randomPositions(Math.max(1, order.posts.length - CARDS), dataset.seed).map((at) => at + 1);
    const slices = new FreshSlices(positions, context.options.runs);
    const contender = (subject: string, requestOf: (json: PreparedRequest) => PreparedRequest): Contender => ({
      subject,
      spec: () => specOf('product', dataset, { env: COLD }),
      plan: async () =>
        closedPlan(
          context,
          slices.next(subject).map((at) => requestOf(pages.at(at, CARDS))),
        ),
    });
    await runContest(context, {
      suite: 'page-cold',
      contenders: [contender('product@json', (json) => json), contender('product', asPage)],
      ratios: [['product', 'product@json']],
      isCold: true,
    });
  },
};

/** Returns the request for the page of the site with the same posts. */
function asPage({ path }: PreparedRequest): PreparedRequest {
  const cursor = new URL(path, 'http://localhost').searchParams.get('cursor')!;
  return { method: 'GET', path: `/hot?cursor=${encodeURIComponent(cursor)}`, expect: { status: 200 } };
}

export const PAGE_SUITES = [pageHot, pageCold];
