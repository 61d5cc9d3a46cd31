import { exchange, expectSame } from '../harness/capture.js';
import { runContest, type Contender } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import { OPTIMISED_STYLE } from '../peers/peer.js';
import { FeedPages, orderOf, specOf, UNCACHED, type ReadingSubject } from './dialects.js';
import { nodeHttpContender } from './hot-answers.js';
import { closedPlan, USUAL_CONNECTIONS } from './plans.js';
import type { Suite } from './suite.js';

const NOT_MODIFIED: Suite = {
  name: 'not-modified',
  title: 'Not modified',
  question: 'The first page again, by clients that hold it already (If-None-Match), beside the same page sent whole.',
  async run(context) {
    const dataset = await context.dataset();
    const contender = (subject: string, reading: ReadingSubject, isConditional: boolean): Contender => ({
      subject,
      spec: () => specOf(reading, dataset),
      plan: async ({ url }) => {
        const request = new FeedPages(reading, await orderOf(reading, dataset), context).at(0);
        if (!isConditional) return closedPlan(context, [request]);
        const etag = await etagOf(url, request);
        return closedPlan(context, [{ ...request, headers: { 'if-none-match': etag }, expect: { status: 304 } }]);
      },
    });
    await runContest(context, {
      suite: 'not-modified',
      contenders: [
        contender('product', 'product', true),
        contender('product@whole', 'product', false),
        contender('express-optimised', 'express-optimised', true),
      ],
    });
  },
};

async function etagOf(url: string, request: PreparedRequest): Promise<string> {
  await exchange(url, request);
  const { rawHeaders } = await exchange(url, request);
  const index = rawHeaders.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === 'etag');
  if (index < 0) throw new Error(`GET ${request.path} answered without an ETag`);
  return rawHeaders[index + 1]!;
}

const TOP_WRITERS: Suite = {
  name: 'top-writers',
  title: 'Top writers',
  question:
    'The writers with the most likes per post, for 100 connections; @cold has no cache, express-naive aggregates every time, and both have 4.',
  async run(context) {
    const dataset = await context.dataset();
    const path = '/v1/users/top';
    const plan =
      (connections?: number): Contender['plan'] =>
      async ({ url }) => {
        const first = await exchange(url, { method: 'GET', path });
        const request: PreparedRequest = { method: 'GET', path, expect: expectSame(first.body) };
        return closedPlan(context, [request], { connections });
      };
    const product = specOf('product', dataset);
    const hot = async (): Promise<PreparedRequest[]> => {
      const { url } = await context.subjects.get(product);
      return [{ method: 'GET', path, expect: expectSame((await exchange(url, { method: 'GET', path })).body) }];
    };
    await runContest(context, {
      suite: 'top-writers',
      contenders: [
        nodeHttpContender(context, product, hot, (requests) => closedPlan(context, requests)),
        { subject: 'express-optimised', spec: () => specOf('express-optimised', dataset), plan: plan() },
        // Each aggregation takes a second on the full dataset, so a hundred concurrent requests would only queue.
        { subject: 'express-naive', spec: () => specOf('express-naive', dataset), plan: plan(4) },
        { subject: 'product', spec: () => product, plan: plan() },
        { subject: 'product@cold', spec: () => specOf('product', dataset, { env: UNCACHED }), plan: plan(4) },
      ],
      ratios: [
        ['product', 'node-http'],
        ['product', 'express-optimised'],
        ['product@cold', 'express-naive'],
      ],
    });
  },
};

const DEPTH_LIMIT = 10;
/** Pages after the first one have a cursor. */
const NEAR_PAGE = 2;
const DEPTH_PAGE = 5_000;

const FEED_DEPTH: Suite = {
  name: 'feed-depth',
  title: `Page ${NEAR_PAGE} against page 5,000`,
  question:
    `A query near the top and the same query far down, ${DEPTH_LIMIT} cards each, with no cache (a page of its own for each connection): ` +
    'keyset cursors cost the same, skip does not.',
  async run(context) {
    const dataset = await context.dataset();
    const { posts } = await dataset.productOrder();
    const last = Math.floor((posts.length - USUAL_CONNECTIONS) / DEPTH_LIMIT) - 1;
    const deepPage = Math.max(NEAR_PAGE + 1, Math.min(DEPTH_PAGE, last));
    const contender = (reading: ReadingSubject, page: number): Contender => ({
      subject: `${reading}@page${page}`,
      spec: () => {
        const spec = specOf(reading, dataset, { env: UNCACHED });
        return reading === 'express-optimised' ? { ...spec, style: { ...OPTIMISED_STYLE, hasCache: false } } : spec;
      },
      plan: async () => {
        const pages = new FeedPages(reading, await orderOf(reading, dataset), context);
        // Each connection has its own page, so the server never joins two readers of one page.
        const first = (page - 1) * DEPTH_LIMIT;
        const starts = Array.from({ length: Math.min(USUAL_CONNECTIONS, pages.length - first) }, (_, at) => first + at);
        return closedPlan(
          context,
          starts.map((start) => pages.at(start, DEPTH_LIMIT)),
        );
      },
    });
    const subjects = ['express-naive', 'express-optimised', 'product'] as const;
    await runContest(context, {
      suite: 'feed-depth',
      contenders: subjects.flatMap((subject) => [contender(subject, NEAR_PAGE), contender(subject, deepPage)]),
      ratios: [
        ...subjects.map((subject): [string, string] => [`${subject}@page${deepPage}`, `${subject}@page${NEAR_PAGE}`]),
        [`product@page${deepPage}`, `express-naive@page${deepPage}`],
        [`product@page${deepPage}`, `express-optimised@page${deepPage}`],
      ],
    });
  },
};

export const MORE_READ_SUITES = [NOT_MODIFIED, TOP_WRITERS, FEED_DEPTH];
