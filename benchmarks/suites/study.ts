import type { BenchmarkContext } from '../context.js';
import { type Result, round } from '../harness/results.js';
import { median, spreadOf } from '../harness/statistics.js';

export const CASE_STUDIES = 'case-studies';
/** Limits the runs of operations. Other tables run once, because each table may take 90 seconds. */
const MOST_RUNS = 3;

/** Returns fixed seconds, so that the length of the suite does not depend on `--seconds`. */
export function timed({ options }: BenchmarkContext, seconds: number): number {
  return options.isQuick ? options.seconds : seconds;
}

/** Returns a result of a measurement without HTTP. */
export function studyResult(subject: string, figures: Partial<Result>): Result {
  return {
    ...{ suite: CASE_STUDIES, subject, connections: null, pipelining: null, seconds: 0, runs: 1, requests: 0 },
    ...{ requestsPerSecond: 0, succeededPerSecond: 0, cpuMicrosPerRequest: null, mongodCpuMicrosPerRequest: null },
    latencyMs: { mean: 0, p50: 0, p95: 0, p99: 0, max: 0 },
    ...{ errors: 0, timeouts: 0, non2xx: 0, bytesPerResponse: 0, rssMiB: null, generatorCpuShare: 0 },
    spread: { requestsPerSecond: 0, cpuMicrosPerRequest: 0 },
    ...figures,
  };
}

/** An operation of this process. `extra` becomes that of the result. */
export type Operation = { subject: string; run: () => unknown; extra?: Record<string, number> };

/** Measures the CPU of operations, one kind after the other and several times. */
export async function measureOperations(
  context: BenchmarkContext,
  operations: Operation[],
  seconds: number,
): Promise<Result[]> {
  const wanted = operations.filter(({ subject }) => context.wantsSubject(subject));
  const runs = Math.min(context.options.runs, MOST_RUNS);
  const measured = new Map(wanted.map((operation) => [operation, [] as { count: number; micros: number }[]]));
  for (const operation of wanted) await repeat(operation, seconds / 4);
  for (let run = 0; run < runs; run++)
    for (const operation of wanted) measured.get(operation)!.push(await repeat(operation, seconds));
  return [...measured].map(([{ subject, extra }, all]) => {
    const micros = all.map((each) => each.micros / each.count);
    const perSecond = round(1e6 / median(micros), 0);
    const result = studyResult(subject, {
      ...{ seconds: round(seconds * runs, 2), runs, requests: all.reduce((sum, { count }) => sum + count, 0) },
      ...{ requestsPerSecond: perSecond, succeededPerSecond: perSecond, mongodCpuMicrosPerRequest: 0 },
      cpuMicrosPerRequest: round(median(micros), 2),
      spread: { requestsPerSecond: 0, cpuMicrosPerRequest: round(spreadOf(micros), 3) },
      ...(extra && { extra }),
    });
    context.add(result);
    return result;
  });
}

async function repeat({ run }: Operation, seconds: number): Promise<{ count: number; micros: number }> {
  const before = process.cpuUsage();
  let count = 0;
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; count++) {
    const running = run();
    // An await after each synchronous operation would be a part of its cost.
    if (running instanceof Promise) await running;
  }
  const { user, system } = process.cpuUsage(before);
  return { count, micros: user + system };
}
