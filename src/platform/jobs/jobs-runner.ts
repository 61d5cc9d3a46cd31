import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { within } from '../../common/within.js';
import { type Lease, LeaseService } from '../mongo/lease.service.js';
import { counter, gauge } from '../prometheus/metric.js';

/** One run of a job. The run must stop writing when `signal` aborts (the lease is lost, or the process stops). */
export type JobWork = (signal: AbortSignal, lease: Lease) => Promise<unknown>;

export type JobOutcome = 'done' | 'failed' | 'held elsewhere' | 'still running' | 'stopped';

/** The maximum wait for running jobs when the process stops. */
const STOP_TIMEOUT_MS = 3_000;

// The label is not `job`, because Prometheus uses `job` for a group of targets.
const runs = counter({
  name: 'opencanvas_job_runs_total',
  help: 'Runs of scheduled jobs by outcome',
  labelNames: ['task', 'outcome'],
});
const lastSuccess = gauge({
  name: 'opencanvas_job_last_success_timestamp_seconds',
  help: 'Time of the last successful run of a job',
  labelNames: ['task'],
  aggregator: 'max',
});
const lastSeconds = gauge({
  name: 'opencanvas_job_last_run_seconds',
  help: 'Duration of the last run of a job',
  labelNames: ['task'],
  aggregator: 'max',
});

/** Runs a job under the lease of its name, so that runs of one job never overlap on any host. Failed runs are logged and counted. */
@Injectable()
export class JobsRunner implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Jobs');
  private readonly running = new Map<string, Promise<JobOutcome>>();
  private readonly ending = new AbortController();

  constructor(private readonly leases: LeaseService) {}

  /** Runs the job now, unless another process runs it. Never rejects. */
  async run(name: string, work: JobWork, leaseMs?: number): Promise<JobOutcome> {
    if (this.ending.signal.aborted) return 'stopped';
    if (this.running.has(name)) return this.count(name, 'still running');
    const run = this.runUnderLease(name, work, leaseMs);
    this.running.set(name, run);
    try {
      return await run;
    } finally {
      this.running.delete(name);
    }
  }

  /**
   * For methods with `@Leased`: runs only when `isDue` resolves to true.
   * @param leaseMs how long the run of a killed process blocks others
   */
  async runIfDue(name: string, work: JobWork, isDue?: () => Promise<boolean>, leaseMs?: number): Promise<void> {
    try {
      if (isDue !== undefined && (this.running.has(name) || !(await isDue()))) return;
    } catch (error) {
      if (!this.ending.signal.aborted) this.logger.warn(`${name}: checking whether it is due failed: ${String(error)}`);
      return;
    }
    await this.run(name, work, leaseMs);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.ending.abort(new Error('the process ends'));
    await within(STOP_TIMEOUT_MS, Promise.all(this.running.values()));
  }

  private async runUnderLease(name: string, work: JobWork, ttlMs?: number): Promise<JobOutcome> {
    try {
      const run = async (lost: AbortSignal, lease: Lease): Promise<void> => {
        const startedAt = performance.now();
        await this.runUntil(lost, lease, work).finally(() =>
          lastSeconds.set({ task: name }, (performance.now() - startedAt) / 1_000),
        );
      };
      const outcome = await this.leases.withLease(name, run, { ttlMs });
      if (!outcome.ran) return this.count(name, 'held elsewhere');
      lastSuccess.set({ task: name }, Date.now() / 1_000);
      return this.count(name, 'done');
    } catch (error) {
      if (this.ending.signal.aborted) return this.count(name, 'stopped');
      this.logger.error(`${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      return this.count(name, 'failed');
    }
  }

  /** Uses a controller per run: on Node.js 20 the long-lived signal retains a part of every signal derived by `AbortSignal.any`. */
  private async runUntil(lost: AbortSignal, lease: Lease, work: JobWork): Promise<void> {
    const { signal } = this.ending;
    const ended = new AbortController();
    const end = (): void => ended.abort(signal.reason);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    try {
      await work(AbortSignal.any([lost, ended.signal]), lease);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  private count(task: string, outcome: JobOutcome): JobOutcome {
    runs.inc({ task, outcome });
    return outcome;
  }
}
