import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { JobsRunner } from '../jobs/jobs-runner.js';
import { observeBacklog } from './outbox-metrics.js';
import { SweeperService } from './outbox-worker.js';

/** The job's name, and so the lease of everybody who sweeps. */
export const SWEEPER_JOB = 'sweeper';

/** What must follow soon (a rename, the posts of an ended account) waits this long at most, if nothing is in its way. */
const POLL_INTERVAL_MS = 500;
const BACKLOG_INTERVAL_MS = 15_000;
/** older than this, and the operator should know */
const LATE_MS = 600_000;

/** Sweeps by the clock, in the process that runs the jobs, and tells how far behind it is. */
@Injectable()
export class SweeperSchedule implements OnApplicationBootstrap {
  private readonly logger = new Logger('Sweeper');
  private observedAt = -Infinity;

  constructor(
    private readonly jobs: JobsRunner,
    private readonly sweeper: SweeperService,
    private readonly config: AppConfig,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.config.jobs.isEnabled) return;
    const isDue = async (): Promise<boolean> => {
      await this.observe();
      return this.sweeper.isDue();
    };
    this.jobs.every(SWEEPER_JOB, POLL_INTERVAL_MS, (signal) => this.sweeper.sweep(signal), isDue);
  }

  private async observe(): Promise<void> {
    if (performance.now() - this.observedAt < BACKLOG_INTERVAL_MS) return;
    this.observedAt = performance.now();
    const backlog = await this.sweeper.backlog();
    observeBacklog(backlog);
    if (backlog.oldestAgeMs > LATE_MS) {
      const minutes = Math.round(backlog.oldestAgeMs / 60_000);
      this.logger.warn(
        `${backlog.tasks} tasks are waiting, the oldest for ${minutes} min; ${backlog.failing} are failing`,
      );
    }
  }
}
