import type { BenchmarkContext } from '../context.js';
import type { Dataset } from '../data/dataset.js';
import { type Contender, type PlanInput, runContest } from '../harness/contest.js';
import type { LoadPhase, PreparedRequest } from '../harness/load-plan.js';
import type { Result } from '../harness/results.js';
import type { RunningSubject } from '../harness/subject.js';
import { FeedPages, lanesOf } from './dialects.js';
import { openPlan } from './plans.js';

const STRESS_SECONDS = 20;
/** Few sockets, because the suite measures the wait beside another load. Such a load stays below the limit of an address. */
export const HOT_SOCKETS = 100;
export const HOT_READS_PER_SECOND = 250;

/** Returns cached first pages of the feed, and one health check in ten requests. */
export async function hotReads(context: BenchmarkContext, dataset: Dataset): Promise<PreparedRequest[]> {
  const hot = new FeedPages('product', await dataset.productOrder(), context).at(0);
  const live: PreparedRequest = { method: 'GET', path: '/health/live', expect: { status: 200 } };
  return [...Array.from({ length: 9 }, () => hot), live];
}

export function steadyPhases(context: BenchmarkContext, perSecond: number, warmupSeconds: number): LoadPhase[] {
  const steady = { fromPerSecond: perSecond, toPerSecond: perSecond };
  const seconds = Math.max(4, STRESS_SECONDS / context.options.scale);
  return [
    ...(warmupSeconds > 0 ? [{ name: 'warm-up', seconds: warmupSeconds, ...steady, isTimed: false }] : []),
    { name: '', seconds, ...steady, isTimed: true },
  ];
}

/** Plans reads during another load as an open loop, so that a stall affects every request that is due during the stall. */
export function hotReadsPlan(context: BenchmarkContext, reads: PreparedRequest[]): PlanInput {
  return openPlan(reads, steadyPhases(context, HOT_READS_PER_SECOND, 1), HOT_SOCKETS);
}

/** Plans a load beside the hot reads, on this number of connections without a pause. */
export function stormPlan(context: BenchmarkContext, requests: PreparedRequest[], connections: number): PlanInput {
  const seconds = steadyPhases(context, HOT_READS_PER_SECOND, 0).reduce((sum, phase) => sum + phase.seconds, 0);
  const lanes = lanesOf(requests, connections);
  return { mode: 'closed', connections, pipelining: 1, warmupSeconds: 1, seconds, lanes };
}

export type Storm = {
  suite: string;
  /** Subject of the product. */
  spec: Contender['spec'];
  /** Runs before the first read. */
  prepare?: (running: RunningSubject) => Promise<void>;
  /** A load of requests, or other work. */
  beside: Pick<Contender, 'background' | 'beside' | 'isCpuShared'>;
};

/** Runs hot reads alone, and beside other work. */
export async function runBeside(context: BenchmarkContext, dataset: Dataset, storm: Storm): Promise<Result[]> {
  const { suite, spec, prepare, beside } = storm;
  const reads = await hotReads(context, dataset);
  const plan: Contender['plan'] = async (running) => {
    await prepare?.(running);
    return hotReadsPlan(context, reads);
  };
  return runContest(context, {
    suite,
    maxRuns: 3,
    contenders: [
      { subject: 'product@idle', spec, plan },
      { subject: 'product@storm', spec, plan, ...beside },
    ],
    ratios: [['product@storm', 'product@idle']],
  });
}
