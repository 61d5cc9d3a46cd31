import { DEFAULT_LIMIT } from '../../src/platform/http/pagination/page.query.js';
import type { BenchmarkContext } from '../context.js';
import { randomPositions, type Dataset } from '../data/dataset.js';
import { runContest, type Contender } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import { FeedPages, specOf, UNCACHED } from './dialects.js';
import { closedPlan, FreshSlices } from './plans.js';
import type { Suite } from './suite.js';
import {
  commenting,
  COUNTING_ALONE,
  following,
  pairCountOf,
  saving,
  type Steps,
  viewing,
  voting,
  WriteLoad,
  writePlan,
} from './writes.js';

type Headers = Record<string, string>;

/** Numbers of clients behind the proxy, and of signed-in accounts. */
const CLIENTS = 200;
const ACCOUNTS = 500;

const ENCODINGS = 'gzip, deflate, br, zstd';
const COOKIE = '_ga=GA1.1.1234567890.1700000000; _gid=GA1.1.987654321.1700000000; theme=dark; consent=yes';

/** Headers of Chromium for `fetch` from a page of another origin. */
const BROWSER: Headers = {
  accept: 'application/json, text/plain, */*',
  'accept-encoding': ENCODINGS,
  'accept-language': 'en-GB,en;q=0.9,de;q=0.8',
  origin: 'https://app.example.org',
  referer: 'https://app.example.org/feed',
  'sec-ch-ua': '"Chromium";v="141", "Not?A_Brand";v="8"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"Linux"',
  'sec-fetch-dest': 'empty',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'cross-site',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
};

const repeated = (count: number, headersOf: (index: number) => Headers): Headers[] =>
  Array.from({ length: count }, (_, index) => headersOf(index));

const proxied = (index: number): Headers => ({
  'x-forwarded-for': `198.51.100.${(index % CLIENTS) + 1}`,
  'x-forwarded-proto': 'https',
});

/** Returns the forms of one request by name. The requests of a form use its header sets in rotation. */
async function formsOf(context: BenchmarkContext, dataset: Dataset): Promise<Record<string, Headers[]>> {
  const users = await dataset.users(ACCOUNTS);
  const authorization = users.map(({ id }) => `Bearer ${context.tokenOf(id)}`);
  return {
    plain: [{}],
    encodings: [{ 'accept-encoding': ENCODINGS }],
    browser: [BROWSER],
    cookie: [{ cookie: COOKIE }],
    'no-cache': [{ 'cache-control': 'no-cache', pragma: 'no-cache' }],
    'signed-in': repeated(users.length, (index) => ({ authorization: authorization[index]! })),
    proxied: repeated(CLIENTS, proxied),
    'proxied-signed-in': repeated(users.length, (index) => ({
      ...proxied(index),
      authorization: authorization[index]!,
    })),
  };
}

/** Production behind a proxy on this machine. A request without the proxy's header is a direct one. */
const behindProxy = (dataset: Dataset, env: Record<string, string> = {}) =>
  specOf('product', dataset, { env: { HTTP_TRUSTED_PROXIES: 'loopback', ...env } });

/** The generator checks only the status of an encoded body. */
function inForm(request: PreparedRequest, headers: Headers): PreparedRequest {
  const expect = headers['accept-encoding'] === undefined ? request.expect : { status: request.expect.status };
  return { ...request, headers: { ...request.headers, ...headers }, expect };
}

const ratiosToPlain = (what: string, forms: string[]): [string, string][] =>
  forms.filter((form) => form !== 'plain').map((form) => [`product@${what}-${form}`, `product@${what}-plain`]);

async function contestHot(context: BenchmarkContext, suite: string, what: string): Promise<void> {
  const dataset = await context.dataset();
  const forms = await formsOf(context, dataset);
  const request = await hotRequest(context, dataset, what);
  const contenders = Object.entries(forms).map(([form, headers]): Contender => ({
    subject: `product@${what}-${form}`,
    spec: () => behindProxy(dataset),
    plan: () =>
      closedPlan(
        context,
        headers.map((each) => inForm(request, each)),
      ),
  }));
  await runContest(context, { suite, contenders, ratios: ratiosToPlain(what, Object.keys(forms)) });
}

async function hotRequest(context: BenchmarkContext, dataset: Dataset, what: string): Promise<PreparedRequest> {
  const order = await dataset.productOrder();
  if (what === 'feed') return new FeedPages('product', order, context).at(0);
  if (what === 'post') return postRequest(order.posts[0]!.id);
  const [page] = await dataset.commentPages(1, DEFAULT_LIMIT, dataset.product);
  return {
    method: 'GET',
    path: `/v1/posts/${page!.postId}/comments`,
    expect: { status: 200, ids: page!.commentIds },
  };
}

const postRequest = (id: string): PreparedRequest => ({
  method: 'GET',
  path: `/v1/posts/${id}`,
  expect: { status: 200, members: { id } },
});

/** The direct and the proxied form share one server and its cache, so each form has its own pages. */
const COLD_FORMS = ['plain', 'proxied'] as const;
/** Cold posts need a server without a response cache, because a run requests each post several times. */
const cacheOf = (what: string) => (what === 'cold-page' ? {} : UNCACHED);

async function contestCold(
  context: BenchmarkContext,
  suite: string,
  what: string,
  requests: PreparedRequest[],
): Promise<void> {
  const dataset = await context.dataset();
  const contenders = COLD_FORMS.map((form, index): Contender => {
    const own = requests.filter((_request, at) => at % COLD_FORMS.length === index);
    const slices = new FreshSlices(own, context.options.runs);
    return {
      subject: `product@${what}-${form}`,
      spec: () => behindProxy(dataset, cacheOf(what)),
      plan: () => {
        const share = slices.next(form);
        return closedPlan(context, form === 'plain' ? share : share.map((each, at) => inForm(each, proxied(at))));
      },
    };
  });
  await runContest(context, { suite, contenders, isCold: true, ratios: ratiosToPlain(what, [...COLD_FORMS]) });
}

async function contestWrites(
  context: BenchmarkContext,
  suite: string,
  what: string,
  steps: Steps,
  salt: number,
): Promise<void> {
  const dataset = await context.dataset();
  const load = await WriteLoad.prepare(context, dataset);
  // A view counts once for an account and a post, so the second view costs less.
  const isCold = steps === viewing;
  const pairs = pairCountOf(context, isCold);
  const contenders = COLD_FORMS.map((form, index): Contender => ({
    subject: `product@${what}-${form}`,
    spec: () => behindProxy(dataset, COUNTING_ALONE),
    plan: (_running, run) => {
      const perActor = load.requests(steps, Infinity, salt + run * 15_485_863 + index * 32_452_843, pairs);
      return writePlan(
        context,
        form === 'plain'
          ? perActor
          : perActor.map((requests, actor) => requests.map((request) => inForm(request, proxied(actor)))),
      );
    },
  }));
  await runContest(context, { suite, contenders, isCold, ratios: ratiosToPlain(what, [...COLD_FORMS]) });
}

async function coldRequests(context: BenchmarkContext): Promise<Record<string, PreparedRequest[]>> {
  const dataset = await context.dataset();
  const order = await dataset.productOrder();
  const pages = new FeedPages('product', order, context);
  const positions = randomPositions(Math.max(1, order.posts.length - DEFAULT_LIMIT), dataset.seed);
  const comments = await dataset.commentPages(50_000, DEFAULT_LIMIT, dataset.product);
  return {
    'cold-page': positions.map((position) => pages.at(position + 1)),
    'cold-post': positions.map((position) => postRequest(order.posts[position]!.id)),
    'cold-comments': comments.map(({ postId, commentIds }) => ({
      method: 'GET',
      path: `/v1/posts/${postId}/comments`,
      expect: { status: 200, ids: commentIds },
    })),
  };
}

const WRITES: Record<string, Steps> = {
  vote: voting,
  save: saving,
  follow: following,
  comment: commenting,
  event: viewing,
};

const REAL_REQUESTS: Suite = {
  name: 'real-requests',
  title: 'Requests as clients send them',
  question:
    'The hot feed, a hot post and its comments as a browser, a signed-in reader or a proxy asks for them, each beside its plain form; ' +
    'cold reads and writes through a proxy beside direct ones.',
  async run(context) {
    for (const what of ['feed', 'post', 'comments']) await contestHot(context, this.name, what);
    for (const [what, requests] of Object.entries(await coldRequests(context)))
      await contestCold(context, this.name, what, requests);
    // Every session has other pairs, because the server still stores events of the last session.
    const session = Math.floor(Date.now() / 1000) % 1_000_003;
    for (const [what, steps] of Object.entries(WRITES)) await contestWrites(context, this.name, what, steps, session);
  },
};

export const REAL_REQUEST_SUITES: Suite[] = [REAL_REQUESTS];
