import { Logger } from '@nestjs/common';
import type { JobsRunner, JobWork } from './jobs-runner.js';

/** A job whose work is rows: it runs when rows are due, and looks for them when it is triggered. */
export type JobOfRows = {
  /** minimum time between two runs */
  everyMs: number;
  /** Returns the time until the next row is due: 0 or less if one is due, Infinity without rows. */
  dueInMs: () => Promise<number>;
  /** Runs under the lease of the job's name. */
  work: JobWork;
};

/** Finds rows whose writer was killed before its trigger, or that an operator has changed. */
const CHECK_EVERY_MS = 30_000;

/** Sleeps until the next row is due, a trigger, or the next check. */
export class TriggeredJob {
  private readonly logger = new Logger('Jobs');
  private timer: NodeJS.Timeout | undefined;
  private checkedAt = -Infinity;
  private isRunning = false;
  private isTriggered = false;
  private isStopped = false;

  constructor(
    private readonly name: string,
    private readonly job: JobOfRows,
    private readonly runner: Pick<JobsRunner, 'run'>,
  ) {}

  trigger(): void {
    this.isTriggered = true;
    if (!this.isRunning) this.sleep(0);
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private sleep(ms: number): void {
    if (this.isStopped) return;
    clearTimeout(this.timer);
    const leastMs = this.checkedAt + this.job.everyMs - performance.now();
    this.timer = setTimeout(() => void this.check(), Math.max(leastMs, Math.min(ms, CHECK_EVERY_MS))).unref();
  }

  private async check(): Promise<void> {
    this.checkedAt = performance.now();
    this.isRunning = true;
    this.isTriggered = false;
    const dueInMs = await this.runIfDue();
    this.isRunning = false;
    this.sleep(this.isTriggered ? 0 : dueInMs);
  }

  /** Returns 0 after a run and a failure: the run may have been refused because another host holds the lease. */
  private async runIfDue(): Promise<number> {
    try {
      const dueInMs = await this.job.dueInMs();
      if (dueInMs > 0) return dueInMs;
    } catch (error) {
      if (!this.isStopped) this.logger.warn(`${this.name}: checking whether it is due failed: ${String(error)}`);
      return 0;
    }
    await this.runner.run(this.name, this.job.work);
    return 0;
  }
}
