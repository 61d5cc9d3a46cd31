import type { BenchmarkContext } from '../context.js';
import type { PlanInput } from '../harness/contest.js';
import type { LoadPhase, PreparedRequest } from '../harness/load-plan.js';
import { lanesOf } from './dialects.js';

/** Common load of the case studies. */
export const USUAL_CONNECTIONS = 100;

export function closedPlan(
  context: BenchmarkContext,
  requests: PreparedRequest[],
  options: { connections?: number; pipelining?: number } = {},
): PlanInput {
  const connections = context.options.connections ?? options.connections ?? USUAL_CONNECTIONS;
  const pipelining = options.pipelining ?? 1;
  return {
    mode: 'closed',
    connections,
    pipelining,
    warmupSeconds: context.options.warmupSeconds,
    seconds: context.options.seconds,
    lanes: pipelining > 1 ? [requests] : lanesOf(requests, connections),
  };
}

export function openPlan(requests: PreparedRequest[], phases: LoadPhase[], maxSockets = 1_000): PlanInput {
  return { mode: 'open', requests, phases, maxSockets };
}

/**
 * The part of a list for one run. Each run continues after the previous one, so that every request reads another page across warm-up
 * and runs, as long as the list lasts. The first run gets two shares, because it includes the long warm-up.
 */
export class FreshSlices<T> {
  private readonly offsets = new Map<string, number>();

  constructor(
    private readonly items: readonly T[],
    private readonly runs: number,
  ) {}

  next(subject: string): T[] {
    // If the share were rounded up, the last run of a short list would have none.
    const share = Math.max(1, Math.floor(this.items.length / (this.runs + 1)));
    const offset = this.offsets.get(subject) ?? 0;
    const size = offset === 0 ? 2 * share : share;
    this.offsets.set(subject, offset + size);
    return this.items.slice(offset, offset + size);
  }
}
