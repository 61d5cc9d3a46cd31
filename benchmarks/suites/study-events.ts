import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { KafkaServer } from '../../test/support/kafka.js';
import { findComponent } from '../../test/support/optional.js';
import type { BenchmarkContext } from '../context.js';
import type { Dataset } from '../data/dataset.js';
import { type Contender, runContest } from '../harness/contest.js';
import type { LoadPhase } from '../harness/load-plan.js';
import { readTreeUsage } from '../harness/process-tree.js';
import { round } from '../harness/results.js';
import { LatencyRecorder } from '../harness/statistics.js';
import { specOf } from './dialects.js';
import { HOT_READS_PER_SECOND, HOT_SOCKETS, hotReads } from './hot-reads.js';
import { openPlan } from './plans.js';
import { CASE_STUDIES, studyResult, timed } from './study.js';
import { COUNTING_ALONE, viewing, WriteLoad, writePlan } from './writes.js';

const BATCHES = [1, 10, 100, 1_000];
const BATCH_SECONDS = 4;
const RATES = [0, 2_000, 9_000];
const READ_SECONDS = 8;
const SEND_EVERY_MS = 50;
const COMMITTED_WITHIN_MS = 120_000;
/** Accepts a thousand connections of one address, and refuses no request of theirs on a slow machine. */
const CROWDED = {
  HTTP_MAX_CONNECTIONS_PER_ADDRESS: '10000',
  HTTP_MAX_IN_FLIGHT: '10000',
  HTTP_MAX_WAIT_MS: '30000',
  HTTP_MAX_EVENT_LOOP_DELAY_MS: '30000',
};
const PAIRS = 40_000;

/** C: events by batch size, and reads beside events. Kafka takes part where a broker is installed. */
export async function events(context: BenchmarkContext): Promise<void> {
  const dataset = await context.dataset();
  const load = await WriteLoad.prepare(context, dataset);
  await httpBatches(context, dataset, load);
  const broker = await startBroker(context, dataset);
  try {
    if (broker !== null) await kafkaBatches(context, dataset, broker);
    await readsBeside(context, dataset, load, broker);
  } finally {
    await context.subjects.keepOnly([]);
    await broker?.kafka.remove();
  }
}

/** A batch over HTTP is what arrives at the same time: as many connections, each with one event. */
async function httpBatches(context: BenchmarkContext, dataset: Dataset, load: WriteLoad): Promise<void> {
  const session = Math.floor(Date.now() / 1_000) % 1_000_003;
  const sizes = context.options.isQuick ? BATCHES.slice(0, 2) : BATCHES;
  await runContest(context, {
    ...{ suite: CASE_STUDIES, maxRuns: 1, hasOwnWarmup: true },
    // The table shows the events that were taken.
    mayRefuse: true,
    contenders: sizes.map((size) => ({
      subject: `product@c-http-${size}`,
      spec: () => specOf('product', dataset, { env: { ...COUNTING_ALONE, ...CROWDED } }),
      plan: () => ({
        ...writePlan(context, load.requests(viewing, Infinity, session + size * 7_919, PAIRS), size),
        ...{ connections: size, seconds: timed(context, BATCH_SECONDS) },
      }),
    })),
    ratios: sizes.slice(1).map((size) => [`product@c-http-${size}`, `product@c-http-1`]),
  });
}

/** `take` returns events of viewers that have viewed nothing yet. */
type Broker = { kafka: KafkaServer; env: Record<string, string>; take: (count: number) => object[] };

async function startBroker(context: BenchmarkContext, dataset: Dataset): Promise<Broker | null> {
  const libs = findComponent('kafka');
  if (libs === undefined) {
    context.progress.line(`${CASE_STUDIES}       no broker is installed: set KAFKA_LIBS, see CONTRIBUTING`);
    return null;
  }
  context.progress.status(`${CASE_STUDIES}: starting Kafka`);
  const kafka = new KafkaServer(libs);
  context.registry.add({ name: 'Kafka', pid: null, stop: () => kafka.remove() });
  await kafka.start();
  const { posts } = await dataset.productOrder();
  let next = randomInt(2 ** 31);
  const take = (count: number) =>
    Array.from({ length: count }, () => {
      const network = [++next >>> 16, next & 0xff_ff].map((part) => part.toString(16)).join(':');
      return { postId: posts[next % posts.length]!.id, kind: 'view', address: `2001:${network}::1` };
    });
  const env = { ...COUNTING_ALONE, EVENTS_KAFKA_BROKERS: kafka.brokers, EVENTS_KAFKA_TOPIC: kafka.topic };
  return { kafka, env, take };
}

/** Sends a batch when the one before is committed. */
async function kafkaBatches(context: BenchmarkContext, dataset: Dataset, broker: Broker): Promise<void> {
  const { kafka, env, take } = broker;
  const { pid } = await context.subjects.get(specOf('product', dataset, { env }));
  const cpu = (of: number | null) => (of === null ? 0 : readTreeUsage(of).cpuMicros);
  const send = async (size: number): Promise<void> => {
    await kafka.produce(take(size));
    await untilCommitted(kafka);
  };
  for (let warm = 0; warm < 20; warm++) await send(100);
  for (const size of BATCHES) {
    if (!context.wantsSubject(`product@c-kafka-${size}`)) continue;
    const latencies = new LatencyRecorder();
    const [server, mongod, startedAt] = [cpu(pid), cpu(context.mongod!.pid), performance.now()];
    const until = startedAt + timed(context, BATCH_SECONDS) * 1_000;
    for (let sentAt = startedAt; sentAt < until; sentAt = performance.now()) {
      await send(size);
      latencies.add(performance.now() - sentAt);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    const requests = latencies.size * size;
    const rate = round(requests / seconds, 1);
    context.add(
      studyResult(`product@c-kafka-${size}`, {
        ...{ seconds: round(seconds, 1), requests, requestsPerSecond: rate, succeededPerSecond: rate },
        cpuMicrosPerRequest: round((cpu(pid) - server) / requests, 1),
        mongodCpuMicrosPerRequest: round((cpu(context.mongod!.pid) - mongod) / requests, 1),
        latencyMs: latencies.summary(),
      }),
    );
  }
}

async function untilCommitted(kafka: KafkaServer): Promise<void> {
  const givenUpAt = performance.now() + COMMITTED_WITHIN_MS;
  for (; (await kafka.committed()) < kafka.produced; await sleep(2))
    if (performance.now() > givenUpAt) throw new Error('the server did not store the events of Kafka in time');
}

async function readsBeside(
  context: BenchmarkContext,
  dataset: Dataset,
  load: WriteLoad,
  broker: Broker | null,
): Promise<void> {
  const way = broker === null ? 'http' : 'kafka';
  const reads = await hotReads(context, dataset);
  const phases = (rate: number): LoadPhase[] => {
    const steady = { fromPerSecond: rate, toPerSecond: rate };
    return [
      { name: 'warm-up', seconds: timed(context, 1), ...steady, isTimed: false },
      { name: '', seconds: timed(context, READ_SECONDS), ...steady, isTimed: true },
    ];
  };
  const views = () => load.requests(viewing, Infinity, randomInt(2 ** 31), 2 * PAIRS).flat();
  const beside = (rate: number): Pick<Contender, 'beside' | 'background' | 'isCpuShared'> => {
    if (rate === 0) return {};
    if (broker !== null) return { beside: () => produceSteadily(context, broker, rate), isCpuShared: true };
    return { background: { subject: `events@c-${rate}`, plan: () => openPlan(views(), phases(rate), HOT_SOCKETS) } };
  };
  const subject = (rate: number): string => `product@c-beside-${rate}-${way}`;
  await runContest(context, {
    ...{ suite: CASE_STUDIES, maxRuns: 1 },
    contenders: RATES.map((rate) => ({
      subject: subject(rate),
      spec: () => specOf('product', dataset, { env: broker?.env ?? COUNTING_ALONE }),
      plan: () => openPlan(reads, phases(HOT_READS_PER_SECOND), HOT_SOCKETS),
      ...beside(rate),
    })),
    ratios: RATES.slice(1).map((rate) => [subject(rate), subject(0)]),
  });
}

/** Sends events at this rate until the end, and waits until the server has stored them. */
async function produceSteadily(
  { progress }: BenchmarkContext,
  { kafka, take }: Broker,
  rate: number,
): Promise<() => Promise<void>> {
  const startedAt = performance.now();
  const before = kafka.produced;
  const ended = new AbortController();
  const sending = (async () => {
    for (let sent = 0; !ended.signal.aborted; await sleep(SEND_EVERY_MS)) {
      const due = Math.floor(((performance.now() - startedAt) / 1_000) * rate) - sent;
      await kafka.produce(take(due));
      sent += due;
    }
  })();
  sending.catch(() => undefined); // The caller reports the error below.
  return async () => {
    ended.abort();
    await sending;
    const seconds = (performance.now() - startedAt) / 1_000;
    const [sent, stored] = [kafka.produced - before, (await kafka.committed()) - before];
    const perSecond = (count: number): string => (count / seconds).toFixed(0);
    progress.line(
      `${CASE_STUDIES}       ${perSecond(sent)} events/s sent, ${perSecond(stored)} stored beside the reads`,
    );
    await untilCommitted(kafka);
  };
}
