import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Collection, Filter } from 'mongodb';
import { AppConfig } from '../../config/app-config.js';
import { SweepHandlers, type SweepPass } from './outbox-handlers.js';
import { observeTask } from './outbox-metrics.js';
import { SweepPasses } from './outbox-passes.js';
import { SWEEP_TASKS, type SweepKind, type SweepTask } from './outbox.js';
import { MongoService } from '../mongo/mongo.service.js';

export type SweepReport = { tasks: number; failed: number; rows: number };
export type SweepBacklog = {
  tasks: number;
  oldestAgeMs: number;
  failing: number;
  byKind: Partial<Record<SweepKind, number>>;
};

const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 3_600_000;
const DRAIN_POLL_MS = 200;

/**
 * Does what deletions and changes of authors left to do. A task runs the handlers its rooms registered and leaves the queue after
 * the last of them; a sweeper that is killed takes the task up again from its beginning, and finds the less to do. The caller holds
 * the lease.
 */
@Injectable()
export class SweeperService {
  private readonly logger = new Logger('Sweeper');
  private readonly tasks: Collection<SweepTask>;
  private readonly graceMs: number;

  constructor(
    mongo: MongoService,
    private readonly handlers: SweepHandlers,
    private readonly passes: SweepPasses,
    config: AppConfig,
  ) {
    this.tasks = mongo.collection<SweepTask>(SWEEP_TASKS);
    this.graceMs = config.jobs.sweepGraceMs;
  }

  /** Runs every task that is due. Early passes do not wait for the long final ones. */
  async sweep(signal: AbortSignal): Promise<SweepReport> {
    const reports = await Promise.all([this.sweepPass('early', signal), this.sweepPass('final', signal)]);
    return reports.reduce((a, b) => ({ tasks: a.tasks + b.tasks, failed: a.failed + b.failed, rows: a.rows + b.rows }));
  }

  /** Two short reads. */
  async isDue(): Promise<boolean> {
    return (await this.next('early')) !== null || (await this.next('final')) !== null;
  }

  /** Sweeps until the queue is empty, the grace of its last task included. */
  async drain(signal: AbortSignal, onProgress: (backlog: SweepBacklog) => void = () => {}): Promise<SweepReport> {
    const total: SweepReport = { tasks: 0, failed: 0, rows: 0 };
    for (;;) {
      const { tasks, failed, rows } = await this.sweep(signal);
      total.tasks += tasks;
      total.failed += failed;
      total.rows += rows;
      const backlog = await this.backlog();
      onProgress(backlog);
      if (backlog.tasks === 0) return total;
      await sleep(DRAIN_POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  async backlog(): Promise<SweepBacklog> {
    const groups = this.tasks.aggregate<{ _id: SweepKind; tasks: number; oldestAgeMs: number; failing: number }>([
      {
        $group: {
          _id: '$kind',
          tasks: { $sum: 1 },
          oldestAgeMs: { $max: { $subtract: ['$$NOW', '$createdAt'] } },
          failing: { $sum: { $cond: [{ $gt: ['$attempts', 0] }, 1, 0] } },
        },
      },
    ]);
    const backlog: SweepBacklog = { tasks: 0, oldestAgeMs: 0, failing: 0, byKind: {} };
    for await (const { _id, tasks, oldestAgeMs, failing } of groups) {
      backlog.tasks += tasks;
      backlog.failing += failing;
      backlog.byKind[_id] = tasks;
      backlog.oldestAgeMs = Math.max(backlog.oldestAgeMs, oldestAgeMs);
    }
    return backlog;
  }

  private async sweepPass(pass: SweepPass, signal: AbortSignal): Promise<SweepReport> {
    const report: SweepReport = { tasks: 0, failed: 0, rows: 0 };
    for (;;) {
      signal.throwIfAborted();
      const task = await this.next(pass);
      if (task === null) return report;
      const started = performance.now();
      try {
        const rows = await this.passes.run(task, pass, signal);
        report.rows += rows;
        report.tasks++;
        const took = Math.round(performance.now() - started);
        this.logger.debug(`${task.kind} ${task.targetId.toHexString()} (${pass}): ${rows} rows in ${took} ms`);
      } catch (error) {
        if (signal.aborted) throw error;
        report.failed++;
        await this.postpone(task, error);
      }
    }
  }

  /** The oldest task that is due for the pass, by the clock of the database; both passes read an index in its order. */
  private async next(pass: SweepPass): Promise<SweepTask | null> {
    const early = this.handlers.kindsWithEarlyPass();
    // null is before every date
    const isDue = { $lte: ['$retryAt', '$$NOW'] };
    const isPastGrace = { $lte: ['$createdAt', { $subtract: ['$$NOW', this.graceMs] }] };
    const filter: Filter<SweepTask> =
      pass === 'early'
        ? { kind: { $in: early }, earlyDoneAt: null, $expr: isDue }
        : {
            $expr: { $and: [isPastGrace, isDue] },
            $or: [{ kind: { $nin: early } }, { earlyDoneAt: { $ne: null } }],
          };
    return this.tasks.findOne(filter, { sort: { createdAt: 1 } });
  }

  /** One task that cannot be done does not stop the others. */
  private async postpone(task: SweepTask, error: unknown): Promise<void> {
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** task.attempts, LONGEST_RETRY_MS);
    const lastError = error instanceof Error ? error.message : String(error);
    this.logger.error(
      `${task.kind} ${task.targetId.toHexString()} failed, attempt ${task.attempts + 1}; next in ${waitMs} ms: ${lastError}`,
    );
    observeTask(task.kind, task.earlyDoneAt === null ? 'early' : 'final', 'failed');
    const failed = {
      retryAt: { $add: ['$$NOW', waitMs] },
      lastError: { $literal: lastError },
      attempts: { $add: ['$attempts', 1] },
    };
    await this.tasks.updateOne({ _id: task._id }, [{ $set: failed }]);
  }
}
