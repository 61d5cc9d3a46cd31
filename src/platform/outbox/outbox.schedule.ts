import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { ClusterBus } from '../cluster/bus.js';
import { JobsRunner } from '../jobs/jobs-runner.js';
import { observeBacklog } from './outbox-metrics.js';
import { OutboxStream } from './outbox-stream.js';
import { OUTBOX_JOB, OutboxWorker } from './outbox-worker.js';

/** What must follow soon (a rename, the posts of an ended account) waits this long at most, if nothing is in its way. */
const POLL_INTERVAL_MS = 500;
const BACKLOG_INTERVAL_MS = 15_000;
/** bus channel */
const STATE = 'outbox:state';
/** older than this, and the operator should know */
const LATE_MS = 600_000;

/** Works off the outbox by the clock, in the process that runs the jobs, and tells how far behind it is. */
@Injectable()
export class OutboxSchedule implements OnApplicationBootstrap {
  private readonly logger = new Logger('Outbox');
  private observedAt = -Infinity;
  /** What waits, as the process that runs the jobs saw it last; a detail of readiness. */
  state: unknown;

  constructor(
    private readonly jobs: JobsRunner,
    private readonly worker: OutboxWorker,
    private readonly stream: OutboxStream,
    private readonly bus: ClusterBus,
    private readonly config: AppConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.bus.subscribe(STATE, (state) => (this.state = state));
    if (!this.config.jobs.isEnabled) return;
    const isDue = async (): Promise<boolean> => {
      await this.observe();
      return this.worker.isDue();
    };
    this.jobs.every(OUTBOX_JOB, POLL_INTERVAL_MS, (signal) => this.worker.work(signal), isDue);
  }

  private async observe(): Promise<void> {
    if (performance.now() - this.observedAt < BACKLOG_INTERVAL_MS) return;
    this.observedAt = performance.now();
    const backlog = await this.worker.backlog();
    observeBacklog(backlog);
    this.state = { ...backlog, isListening: this.stream.isOpen };
    this.bus.publish(STATE, this.state);
    if (backlog.oldestAgeMs > LATE_MS) {
      const minutes = Math.round(backlog.oldestAgeMs / 60_000);
      this.logger.warn(`${backlog.rows} rows wait, the oldest for ${minutes} min; ${backlog.failing} are failing`);
    }
  }
}
