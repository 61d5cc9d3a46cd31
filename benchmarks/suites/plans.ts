import type { BenchmarkContext } from '../context.js';
import type { PlanInput } from '../harness/contest.js';
import type { LoadPhase, PreparedRequest } from '../harness/load-plan.js';
import { lanesOf } from './dialects.js';

/** The common load of the case studies. */
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
 * The part of a list that belongs to one run: each run continues where the last one stopped, so that "every request another page" holds
 * across warm-up and runs, as long as the list lasts. The first run gets two shares: the long warm-up is in it.
 */
export class FreshSlices<T> {
  private readonly offsets = new Map<string, number>();

  constructor(
    private readonly items: readonly T[],
    private readonly runs: number,
  ) {}

  next(subject: string): T[] {
    // rounded up, the last run of a short list would have none
    const share = Math.max(1, Math.floor(this.items.length / (this.runs + 1)));
    const offset = this.offsets.get(subject) ?? 0;
    const size = offset === 0 ? 2 * share : share;
    this.offsets.set(subject, offset + size);
    return this.items.slice(offset, offset + size);
  }
}
