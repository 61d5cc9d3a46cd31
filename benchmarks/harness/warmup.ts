import type { ClosedLoopPlan, LongWarmup, OpenLoopPlan } from './load-plan.js';
import type { RunningSubject, SubjectSpec } from './subject.js';

/** Requests that a process must serve before its first measurement, or the time limit for them. */
export type WarmupPolicy = { requestsPerProcess: number; maxSeconds: number };

export const WARMUP_POLICY: WarmupPolicy = { requestsPerProcess: 20_000, maxSeconds: 15 };

/**
 * Decides which runs of a contest get the long warm-up: the first run of each process, which still compiles the code of this load.
 * Later runs find the process warm, because subjects continue to run between interleaved runs.
 */
export class Warmth {
  private readonly warm = new Set<string>();

  /** @param policy null if no run gets the long warm-up */
  constructor(
    private readonly policy: WarmupPolicy | null,
    private readonly cores: number,
  ) {}

  /** Returns null for a warm process, which needs only the usual seconds. A second call for a process returns null. */
  longWarmupOf(spec: SubjectSpec, running: RunningSubject): LongWarmup | null {
    const process = `${running.url} ${running.pid}`;
    if (this.policy === null || this.warm.has(process)) return null;
    this.warm.add(process);
    const { requestsPerProcess, maxSeconds } = this.policy;
    return { requests: requestsPerProcess * this.processesOf(spec), maxSeconds };
  }

  private processesOf(spec: SubjectSpec): number {
    switch (spec.kind) {
      case 'product':
        return spec.workers ?? this.cores;
      case 'fleet':
        return spec.hosts;
      case 'peer':
        return spec.workers ?? 1;
      case 'pocketbase':
      case 'target':
        return 1;
    }
  }
}

export function distinctIn(plan: ClosedLoopPlan): number {
  return plan.lanes.reduce((sum, lane) => sum + lane.length, 0);
}

/** Limits the warm-up to half of the list, because the window needs the other half where no page may come twice. */
export function withinHalf(longWarmup: LongWarmup | null, plan: ClosedLoopPlan): LongWarmup | null {
  return longWarmup && { ...longWarmup, requests: Math.min(longWarmup.requests, Math.floor(distinctIn(plan) / 2)) };
}

/** Returns a closed loop, because the untimed phase of an open loop would take minutes to warm a process at its rates. */
export function warmupOf(plan: OpenLoopPlan, longWarmup: LongWarmup): ClosedLoopPlan {
  const { url, serverPid, mongodPid, timeoutSeconds, requests } = plan;
  const load = { connections: 20, pipelining: 1, warmupSeconds: 0, longWarmup, seconds: 0, lanes: [requests] };
  return { mode: 'closed', url, serverPid, mongodPid, timeoutSeconds, ...load };
}
