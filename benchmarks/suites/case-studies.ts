import type { ObjectId } from 'mongodb';
import type { BenchmarkContext } from '../context.js';
import { type Contender, runContest } from '../harness/contest.js';
import type { LoadPhase, PreparedRequest } from '../harness/load-plan.js';
import { FeedPages, lanesOf, orderOf, type ReadingSubject, specOf, UNCACHED } from './dialects.js';
import { nodeHttpContender } from './hot-answers.js';
import { HOT_READS_PER_SECOND, HOT_SOCKETS, hotReads } from './hot-reads.js';
import { contestSettings } from './load-shapes.js';
import { closedPlan, openPlan } from './plans.js';
import { postRequest, randomLimitMix } from './reads.js';
import { CASE_STUDIES, timed } from './study.js';
import { events } from './study-events.js';
import { codecs, myths } from './study-operations.js';
import type { Suite } from './suite.js';
import { textOf } from './writing.js';

/** The one of the load generator of study A. */
const TIMEOUT_SECONDS = 10;
/** Each table has this contest once, because a table may take 90 seconds. */
const ONCE = { suite: CASE_STUDIES, maxRuns: 1 } as const;

/** Counts errors and unexpected responses, as the study did. */
function pushErrors(context: BenchmarkContext, subject: string, against: string): void {
  const result = context.results.find((each) => each.suite === CASE_STUDIES && each.subject === subject);
  if (result === undefined) return;
  const value = result.errors + (result.unexpected ?? 0);
  context.ratios.push({ suite: CASE_STUDIES, metric: 'errors', subject, against, value });
}

/** A: one process and a process per core, the study's code after its changes and the product. */
async function processes(context: BenchmarkContext): Promise<void> {
  const dataset = await context.dataset();
  const connections = context.options.isQuick ? 50 : 500;
  const counts = [1, Math.max(2, context.cores)];
  const contender = (subject: 'express-optimised' | 'product', workers: number): Contender => ({
    subject: `${subject}@a-${workers}-processes`,
    spec: () => ({ ...specOf(subject, dataset), workers }),
    plan: async () => ({
      ...closedPlan(context, [new FeedPages(subject, await orderOf(subject, dataset), context).at(0)], {
        pipelining: 10,
      }),
      ...{ connections, warmupSeconds: timed(context, 4), seconds: timed(context, 10) },
      timeoutSeconds: TIMEOUT_SECONDS,
    }),
  });
  const subjects = ['express-optimised', 'product'] as const;
  await runContest(context, {
    ...{ ...ONCE, isExclusive: true, mayRefuse: true, hasOwnWarmup: true },
    contenders: subjects.flatMap((subject) => counts.map((count) => contender(subject, count))),
    ratios: subjects.map((subject) => [`${subject}@a-${counts[1]}-processes`, `${subject}@a-1-processes`]),
  });
  pushErrors(context, `product@a-${counts[1]}-processes`, 'product@a-1-processes');
}

const RENDERED_LENGTH = 15_000;
const RENDERED_TEXTS = 20;
/** Each is a render without a pause. */
const PREVIEWERS = 4;

/** B: readers beside costly renders, by threads and on the event loop of bare node:http. */
async function renders(context: BenchmarkContext): Promise<void> {
  const dataset = await context.dataset();
  const [user] = await dataset.users(1);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${context.tokenOf(user!.id)}` };
  const previews = Array.from({ length: RENDERED_TEXTS }, (_, at): PreparedRequest => {
    const body = JSON.stringify({ content: textOf(RENDERED_LENGTH, String(at)) });
    return { method: 'POST', path: '/v1/render', headers, body, expect: { status: 200 } };
  });
  const reads = await hotReads(context, dataset);
  const seconds = timed(context, 8);
  const steady = { fromPerSecond: HOT_READS_PER_SECOND, toPerSecond: HOT_READS_PER_SECOND };
  const phases: LoadPhase[] = [
    { name: 'warm-up', seconds: timed(context, 1), ...steady, isTimed: false },
    { name: '', seconds, ...steady, isTimed: true },
  ];
  const readsPlan = (requests: PreparedRequest[]) => openPlan(requests, phases, HOT_SOCKETS);
  const lanes = lanesOf(previews, PREVIEWERS);
  const load = { mode: 'closed' as const, pipelining: 1, warmupSeconds: timed(context, 1), seconds };
  const background = (at: string): Contender['background'] => ({
    subject: `previews@b-${at}`,
    plan: () => ({ ...load, connections: PREVIEWERS, lanes }),
  });
  const spec = () => specOf('product', dataset, { env: { RATE_LIMIT_PREVIEWS_PER_MINUTE: '10000000' } });
  const bare = nodeHttpContender(context, spec(), () => Promise.resolve(reads), readsPlan);
  const bareSpec = { ...(await bare.spec()), workers: context.cores };
  const inLoop = { ...bare, spec: () => bareSpec };
  const threads = { spec, plan: () => readsPlan(reads) };
  await runContest(context, {
    ...ONCE,
    contenders: [
      { ...inLoop, subject: 'in-loop@b-idle' },
      { ...inLoop, subject: 'in-loop@b-renders', background: background('in-loop') },
      { ...threads, subject: 'product@b-idle' },
      { ...threads, subject: 'product@b-renders', background: background('threads') },
    ],
    ratios: [
      ['in-loop@b-renders', 'in-loop@b-idle'],
      ['product@b-renders', 'product@b-idle'],
      ['product@b-renders', 'in-loop@b-renders'],
    ],
  });
}

const GROUPS = ['shortest', 'middle', 'longest'] as const;

/** C: reads of the shortest, middle and longest twentieth of the posts, each a query. */
async function documentSizes(context: BenchmarkContext): Promise<void> {
  const dataset = await context.dataset();
  const { posts } = await dataset.productOrder();
  const isListed = new Set(posts.map(({ id }) => id));
  const bodies = (
    await dataset.product
      .collection<{ _id: ObjectId; rawLength: number }>('post_bodies')
      .find({}, { projection: { rawLength: 1 } })
      .toArray()
  )
    .filter(({ _id }) => isListed.has(String(_id)))
    .sort((a, b) => a.rawLength - b.rawLength);
  const size = Math.ceil(bodies.length / 20);
  const starts = { shortest: 0, middle: Math.floor((bodies.length - size) / 2), longest: bodies.length - size };
  const results = await runContest(context, {
    ...ONCE,
    contenders: GROUPS.map((group) => ({
      subject: `product@c-size-${group}`,
      spec: () => specOf('product', dataset, { env: UNCACHED }),
      plan: () => {
        const ids = bodies.slice(starts[group], starts[group] + size).map(({ _id }) => String(_id));
        return { ...closedPlan(context, ids.map(postRequest), { connections: 10 }), seconds: timed(context, 5) };
      },
    })),
    ratios: [['product@c-size-longest', 'product@c-size-shortest']],
  });
  for (const result of results) {
    const group = GROUPS.find((each) => result.subject.endsWith(each))!;
    const middle = starts[group] + Math.floor(size / 2);
    result.extra = { ...result.extra, bodyBytes: bodies[middle]!.rawLength };
  }
}

/** D: uncached pages by processes and connections to the database, the budget of all processes together. */
async function pools(context: BenchmarkContext): Promise<void> {
  const { isQuick } = context.options;
  const workers = isQuick ? [1] : [1, 2, 4];
  const sizes = isQuick ? [20] : [20, 40, 80];
  const settings = workers.flatMap((count) =>
    sizes.map((size) => ({
      ...{ label: `d-${count}-processes-pool-${size}`, workers: count },
      env: { MONGODB_POOL_SIZE: String(size) },
    })),
  );
  await contestSettings(context, CASE_STUDIES, settings, {
    ...{ maxRuns: 1, hasOwnWarmup: true },
    seconds: timed(context, 3),
  });
}

const USERS = [1, 5, 10, 30];

/** E: users who ask for the next page after each response. */
async function users(context: BenchmarkContext): Promise<void> {
  const dataset = await context.dataset();
  const subjects = ['express-naive', 'product'] as const;
  const contender = (subject: ReadingSubject, connections: number): Contender => ({
    subject: `${subject}@e-${connections}-users`,
    spec: () => specOf(subject, dataset),
    plan: async () => ({
      ...closedPlan(context, randomLimitMix(new FeedPages(subject, await orderOf(subject, dataset), context), 1_000)),
      ...{ connections, seconds: timed(context, 4), timeoutSeconds: TIMEOUT_SECONDS },
    }),
  });
  await runContest(context, {
    ...{ ...ONCE, mayRefuse: true, hasOwnWarmup: true },
    contenders: subjects.flatMap((subject) => USERS.map((count) => contender(subject, count))),
    ratios: USERS.map((count) => [`product@e-${count}-users`, `express-naive@e-${count}-users`]),
  });
  for (const count of USERS.slice(1)) pushErrors(context, `product@e-${count}-users`, 'product@e-1-users');
}

export const STUDIES: Suite = {
  name: CASE_STUDIES,
  title: 'The case studies',
  question:
    'Small tables named after the five case studies: processes, threads, codecs, batches of events, reads beside events, sizes of documents, pools, myths, users.',
  async run(context) {
    const tables = [processes, renders, codecs, events, documentSizes, pools, myths, users];
    for (const table of tables) {
      if (context.registry.isStopping) return;
      const startedAt = performance.now();
      try {
        await table(context);
      } catch (error) {
        // The tables do not depend on each other.
        const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
        context.fail({ suite: CASE_STUDIES, subject: table.name, problem });
      }
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
      context.progress.line(`${CASE_STUDIES}       ${table.name}: ${seconds} s`);
    }
  },
};
