import type { LoadPlan, Measurement } from './load-plan.js';
import { readTreeUsage } from './process-tree.js';
import { LatencyRecorder } from './statistics.js';

type Mark = { at: number; serverCpu: number | null; mongodCpu: number | null; ownCpu: number; rss: number | null };

/**
 * One timed stretch of load. Counters and CPU are read together at both ends, while the load continues. Requests in flight at the start
 * compensate for those in flight at the end, so slow servers are not flattered and fast ones not charged for warm-up.
 */
export class LoadWindow {
  succeeded = 0;
  failedStatuses = 0;
  errors = 0;
  timeouts = 0;
  non2xx = 0;
  unexpected = 0;
  unexpectedExample: string | null = null;
  checkedBodies = 0;
  bytes = 0;
  maxSendLagMs = 0;
  readonly latency = new LatencyRecorder();
  readonly refusals = new LatencyRecorder();
  readonly statuses: Record<string, number> = {};
  private readonly start: Mark;

  constructor(
    readonly phase: string,
    private readonly plan: LoadPlan,
    private readonly warmupRequests = 0,
  ) {
    this.start = this.mark();
  }

  answered(status: number, expectedStatuses: ReadonlySet<number>, latencyMs: number, bytes: number): void {
    this.latency.add(latencyMs);
    this.bytes += bytes;
    if (status === 429 || status === 503) this.refusals.add(latencyMs);
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    if (status < 200 || status > 299) this.non2xx++;
    if (expectedStatuses.has(status)) this.succeeded++;
    else {
      this.failedStatuses++;
      this.mismatched(`status ${status}`);
    }
  }

  mismatched(what: string): void {
    this.unexpected++;
    this.unexpectedExample ??= what;
  }

  failed(what: string, isTimeout: boolean): void {
    this.errors++;
    if (isTimeout) this.timeouts++;
    this.unexpectedExample ??= what;
  }

  finish(): Measurement {
    const end = this.mark();
    const seconds = (end.at - this.start.at) / 1000;
    return {
      phase: this.phase,
      connections: this.plan.mode === 'closed' ? this.plan.connections : null,
      pipelining: this.plan.mode === 'closed' ? this.plan.pipelining : null,
      seconds: Math.round(seconds * 1000) / 1000,
      warmupRequests: this.warmupRequests,
      requests: this.latency.size,
      succeeded: this.succeeded,
      latencyMs: this.latency.summary(),
      refusalMs: this.refusals.size === 0 ? null : this.refusals.summary(),
      errors: this.errors,
      timeouts: this.timeouts,
      non2xx: this.non2xx,
      unexpected: this.unexpected,
      unexpectedExample: this.unexpectedExample,
      checkedBodies: this.checkedBodies,
      bytes: this.bytes,
      serverCpuMicros: difference(this.start.serverCpu, end.serverCpu),
      mongodCpuMicros: difference(this.start.mongodCpu, end.mongodCpu),
      rssBytes: end.rss,
      generatorCpuShare: (end.ownCpu - this.start.ownCpu) / 1e6 / seconds,
      maxSendLagMs: Math.round(this.maxSendLagMs * 1000) / 1000,
      statuses: this.statuses,
    };
  }

  private mark(): Mark {
    const server = this.plan.serverPid === null ? null : readTreeUsage(this.plan.serverPid);
    const mongod = this.plan.mongodPid === null ? null : readTreeUsage(this.plan.mongodPid);
    const own = process.cpuUsage();
    return {
      at: performance.now(),
      serverCpu: server?.cpuMicros ?? null,
      mongodCpu: mongod?.cpuMicros ?? null,
      ownCpu: own.user + own.system,
      rss: server?.residentBytes ?? null,
    };
  }
}

function difference(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before;
}
