import { join } from 'node:path';
import type { BenchmarkContext } from '../context.js';
import { randomPositions, type Dataset } from '../data/dataset.js';
import { type Contender, runContest } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import { PocketBase } from './pocketbase-server.js';
import { DEFAULT_LIMIT } from '../../src/platform/http/pagination/page.query.js';
import { FeedPages, specOf } from './dialects.js';
import { steadyPhases } from './hot-reads.js';
import { closedPlan, FreshSlices, openPlan } from './plans.js';
import { AUTHORS, contenderOf, POSTS_PER_SECOND, textsOf, WARMUP_SECONDS } from './publish.js';
import { postRequest } from './reads.js';
import { SEARCHING } from './search.js';
import type { Suite } from './suite.js';
import { COUNTING, pairCountOf, type Steps, voting, WriteLoad, writePlan } from './writes.js';

const NAME = 'pocketbase';
const DEEP_PAGE = 2_000;
/** deep pages around that one */
const DEEP_PAGES = 100;

type Row = { name: string; isCold?: boolean; product: Omit<Contender, 'subject'>; peer: Contender['plan'] };

const get = (path: string, members: Record<string, unknown>): PreparedRequest => ({
  ...{ method: 'GET', path, expect: { status: 200, members } },
});

const recording: Steps = ({ id: account }, { id: post }) => [
  {
    ...{ method: 'POST', path: '/api/collections/votes/records', body: { account, post, value: 1 } },
    expect: { status: 200, members: { account, post } },
  },
];

export const POCKETBASE: Suite = {
  name: NAME,
  isByName: true,
  title: 'PocketBase',
  question: `The same content in PocketBase, which keeps it in SQLite: the first page, pages around number ${DEEP_PAGE.toLocaleString('en')} (by offset at PocketBase), any post, new posts (open loop), and votes, which are only rows at PocketBase. POCKETBASE_PATH names its program.`,
  async run(context) {
    const program = process.env.POCKETBASE_PATH;
    if (program === undefined) throw new Error('POCKETBASE_PATH names no program (benchmarks/README.md)');
    const dataset = await context.dataset();
    const directory = join(context.directory, NAME);
    context.progress.status(`${NAME}: filling its database`);
    const peer = await PocketBase.create(context.subjects, dataset, { program, directory });
    for (const row of await rowsOf(context, dataset, peer)) {
      await runContest(context, {
        ...{ suite: NAME, isCold: row.isCold ?? false, maxRuns: 3 },
        contenders: [
          { ...row.product, subject: `product@${row.name}` },
          { subject: `pocketbase@${row.name}`, spec: () => peer.spec, plan: row.peer },
        ],
        ratios: [[`product@${row.name}`, `pocketbase@${row.name}`]],
      });
    }
  },
};

async function rowsOf(context: BenchmarkContext, dataset: Dataset, peer: PocketBase): Promise<Row[]> {
  const order = await dataset.productOrder();
  const { posts } = order;
  const pages = new FeedPages('product', order, context);
  const spec = () => specOf('product', dataset);
  const read = (requests: PreparedRequest[]) => () => closedPlan(context, requests);

  const last = Math.floor(posts.length / DEFAULT_LIMIT);
  const middle = Math.min(DEEP_PAGE, Math.max(last - DEEP_PAGES / 2, 2));
  const deep = Array.from({ length: DEEP_PAGES }, (_, at) => middle - DEEP_PAGES / 2 + at).filter(
    (page) => page > 1 && page <= last,
  );
  const slices = new FreshSlices(randomPositions(posts.length, dataset.seed), context.options.runs);
  const idsOf = (subject: string): string[] => slices.next(subject).map((at) => posts[at]!.id);

  const load = await WriteLoad.prepare(context, dataset);
  const tokens = await peer.tokensOf(load.actors);
  const session = Math.floor(Date.now() / 1_000) % 1_000_003;
  const votesOf = (steps: Steps, run: number): PreparedRequest[][] =>
    load.requests(steps, Infinity, session + run * 15_485_863, pairCountOf(context, true));
  const asPeer = (requests: PreparedRequest[], at: number): PreparedRequest[] =>
    requests.map((request) => ({ ...request, headers: { ...request.headers, authorization: tokens[at]! } }));

  const { contender: creating } = await contenderOf(context, dataset, '', 0, SEARCHING);
  const authors = load.actors.slice(0, AUTHORS);
  const newPosts = textsOf(0).map((body, at): PreparedRequest => {
    const by = at % authors.length;
    const record = { ...body, author: authors[by]!.id, contentPreview: body.content.slice(0, 200), isPublic: true };
    const headers = { authorization: tokens[by]!, 'content-type': 'application/json' };
    const expect = { status: 200, members: { title: body.title } };
    return {
      ...{ method: 'POST', path: '/api/collections/posts/records', headers, expect },
      body: JSON.stringify(record),
    };
  });

  return [
    {
      name: 'first-page',
      product: { spec, plan: read([pages.at(0)]) },
      peer: read([get(PocketBase.page(1, DEFAULT_LIMIT), { page: 1, perPage: DEFAULT_LIMIT })]),
    },
    {
      name: `page-${DEEP_PAGE}`,
      product: { spec, plan: read(deep.map((page) => pages.at((page - 1) * DEFAULT_LIMIT))) },
      peer: read(deep.map((page) => get(PocketBase.page(page, DEFAULT_LIMIT), { page, perPage: DEFAULT_LIMIT }))),
    },
    {
      name: 'any-post',
      isCold: true,
      product: { spec, plan: () => closedPlan(context, idsOf('product').map(postRequest)) },
      peer: () =>
        closedPlan(
          context,
          idsOf('peer').map((id) => get(`/api/collections/posts/records/${id}?expand=author`, { id })),
        ),
    },
    {
      name: 'new-post',
      product: creating,
      peer: () => openPlan(newPosts, steadyPhases(context, POSTS_PER_SECOND, WARMUP_SECONDS)),
    },
    {
      name: 'vote',
      product: {
        spec: () => specOf('product', dataset, { env: COUNTING }),
        plan: (_, run) => writePlan(context, votesOf(voting, run)),
      },
      peer: (_, run) => writePlan(context, votesOf(recording, run).map(asPeer)),
    },
  ];
}
