import type { Environment } from './environment.js';
import type { Measurement } from './load-plan.js';
import { median, medianLatency, spreadOf, type LatencySummary } from './statistics.js';

/** One row: the median over the runs of one subject in one suite. Latencies in ms, CPU in µs per request. */
export type Result = {
  suite: string;
  subject: string;
  connections: number | null;
  pipelining: number | null;
  seconds: number;
  runs: number;
  requests: number;
  requestsPerSecond: number;
  /** Responses with the expected status. */
  succeededPerSecond: number;
  /** null if unknown, or if several loads share the CPU. */
  cpuMicrosPerRequest: number | null;
  mongodCpuMicrosPerRequest: number | null;
  latencyMs: LatencySummary;
  errors: number;
  timeouts: number;
  non2xx: number;
  /** Unexpected responses of a subject that may refuse, or of the load beside it; absent in older files. */
  unexpected?: number;
  bytesPerResponse: number;
  rssMiB: number | null;
  /** Half the range divided by the median. */
  spread: { requestsPerSecond: number; cpuMicrosPerRequest: number };
  /** The largest share of one core. */
  generatorCpuShare: number;
  /** Figures of suites that measure something other than requests. */
  extra?: Record<string, number>;
  notes?: string[];
};

export type Ratio = { suite: string; metric: string; subject: string; against: string; value: number };
export type Failure = { suite: string; subject: string; problem: string };

/** Revision and date of a result, because one file may hold results of several calls. */
export type Stamp = { revision: string; date: string };

export type Report = {
  environment: Environment;
  results: (Result & Stamp)[];
  ratios: Ratio[];
  failures: Failure[];
};

/** From this share of a core on, the generator may limit the rate. */
const GENERATOR_SATURATION = 0.9;
/** An open loop that sends later than this does not reach its nominal rate. */
const MAX_SEND_LAG_MS = 50;

export function summarizeRuns(suite: string, subject: string, runs: Measurement[]): Result {
  const rates = runs.map((run) => run.requests / run.seconds);
  const cpu = perRequest(runs, (run) => run.serverCpuMicros);
  const mongod = perRequest(runs, (run) => run.mongodCpuMicros);
  const generatorCpuShare = Math.max(...runs.map((run) => run.generatorCpuShare));
  const rss = runs.flatMap((run) => (run.rssBytes === null ? [] : [run.rssBytes]));
  // An open loop spins until the next request is due, so only late sends mean saturation.
  const isSaturated =
    runs[0]?.connections === null
      ? runs.some((run) => run.maxSendLagMs > MAX_SEND_LAG_MS)
      : generatorCpuShare >= GENERATOR_SATURATION;
  const notes = isSaturated ? ['the generator was saturated: the rate is a lower bound, CPU per request holds'] : [];
  const refusals = runs.flatMap((run) => (run.refusalMs === null ? [] : [run.refusalMs]));
  const requests = sum(runs, (run) => run.requests);
  return {
    suite,
    subject,
    connections: runs[0]?.connections ?? null,
    pipelining: runs[0]?.pipelining ?? null,
    seconds: round(
      sum(runs, (run) => run.seconds),
      1,
    ),
    runs: runs.length,
    requests,
    requestsPerSecond: round(median(rates), 1),
    succeededPerSecond: round(median(runs.map((run) => run.succeeded / run.seconds)), 1),
    cpuMicrosPerRequest: cpu && round(median(cpu), 1),
    mongodCpuMicrosPerRequest: mongod && round(median(mongod), 1),
    latencyMs: medianLatency(runs.map((run) => run.latencyMs)),
    errors: sum(runs, (run) => run.errors),
    timeouts: sum(runs, (run) => run.timeouts),
    non2xx: sum(runs, (run) => run.non2xx),
    unexpected: sum(runs, (run) => run.unexpected),
    bytesPerResponse: Math.round(sum(runs, (run) => run.bytes) / Math.max(1, requests)),
    rssMiB: rss.length > 0 ? round(Math.max(...rss) / 2 ** 20, 1) : null,
    spread: { requestsPerSecond: round(spreadOf(rates), 3), cpuMicrosPerRequest: round(spreadOf(cpu ?? []), 3) },
    generatorCpuShare: round(generatorCpuShare, 2),
    ...(refusals.length > 0
      ? {
          extra: {
            refused: sum(runs, (run) => (run.statuses[429] ?? 0) + (run.statuses[503] ?? 0)),
            refusalP50Ms: round(median(refusals.map(({ p50 }) => p50)), 3),
            refusalP99Ms: round(median(refusals.map(({ p99 }) => p99)), 3),
          },
        }
      : {}),
    ...(notes.length > 0 ? { notes } : {}),
  };
}

/** CPU of server and mongod together, the cost of a request for the machine. */
export function totalCpu(result: Result): number | null {
  return result.cpuMicrosPerRequest === null
    ? null
    : result.cpuMicrosPerRequest + (result.mongodCpuMicrosPerRequest ?? 0);
}

const METRICS: [string, (result: Result) => number | null][] = [
  ['cpuMicrosPerRequest', (result) => result.cpuMicrosPerRequest],
  ['totalCpuMicrosPerRequest', totalCpu],
  ['requestsPerSecond', (result) => result.requestsPerSecond],
  ['p99', (result) => result.latencyMs.p99],
  // Only for open loops. In a closed loop the slowest of a hundred thousand responses shows only how busy the machine was.
  ['max', (result) => (result.connections === null ? result.latencyMs.max : null)],
];

/** Returns subject ÷ against, from medians of interleaved runs, for every metric that both have. */
export function ratiosBetween(subject: Result, against: Result): Ratio[] {
  return METRICS.flatMap(([metric, read]) => {
    const [above, below] = [read(subject), read(against)];
    if (above === null || below === null || !(below > 0)) return [];
    return [
      {
        suite: subject.suite,
        metric,
        subject: subject.subject,
        against: against.subject,
        value: round(above / below, 4),
      },
    ];
  });
}

function perRequest(runs: Measurement[], read: (run: Measurement) => number | null): number[] | null {
  const values = runs.map((run) => [read(run), run.requests] as const);
  if (values.some(([micros]) => micros === null)) return null;
  return values.map(([micros, requests]) => micros! / Math.max(1, requests));
}

function sum(runs: Measurement[], read: (run: Measurement) => number): number {
  return runs.reduce((total, run) => total + read(run), 0);
}

export function round(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}
