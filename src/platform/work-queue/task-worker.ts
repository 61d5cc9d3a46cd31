import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Collection, Document } from 'mongodb';
import { AppConfig } from '../../config/app-config.js';
import { ClusterBus } from '../cluster/bus.js';
import { Leased } from '../jobs/leased.decorator.js';
import { MongoService } from '../mongo/mongo.service.js';
import { oldestSeconds, passesTotal, waitingRows } from '../events/event-metrics.js';
import { nameOf, OutboxPasses } from './task-runner.js';
import { OUTBOX, type OutboxRow, type Stage } from '../events/event-row.js';
import { OutboxStream } from '../events/event-stream.js';

export type WorkReport = { passes: number; failed: number; rows: number };
export type Backlog = { rows: number; oldestAgeMs: number; failing: number; byTopic: Record<string, number> };

/** The job's name, and so the lease of the process that works off the outbox. */
export const OUTBOX_JOB = 'outbox';

/** What must follow soon (a rename, the posts of an ended account) waits this long at most, if nothing is in its way. */
const POLL_INTERVAL_MS = 500;
const BACKLOG_INTERVAL_MS = 15_000;
/** bus channel */
const STATE = 'outbox:state';
/** older than this, and the operator should know */
const LATE_MS = 600_000;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 3_600_000;
const DRAIN_POLL_MS = 200;

/** Works off the outbox. A row whose process was killed is taken up again from its beginning. */
@Injectable()
export class OutboxWorker implements OnApplicationBootstrap {
  private readonly logger = new Logger('Outbox');
  private readonly rows: Collection<OutboxRow>;
  private readonly graceMs: number;
  private observedAt = -Infinity;
  /** What waits, as the process that runs the jobs saw it last; a detail of readiness. */
  state: unknown;

  constructor(
    mongo: MongoService,
    private readonly passes: OutboxPasses,
    private readonly stream: OutboxStream,
    private readonly bus: ClusterBus,
    config: AppConfig,
  ) {
    this.rows = mongo.collection<OutboxRow>(OUTBOX);
    this.graceMs = config.jobs.sweepGraceMs;
  }

  onApplicationBootstrap(): void {
    this.bus.subscribe(STATE, (state) => (this.state = state));
  }

  /** Runs every pass that is due. Foreground passes do not wait for the long background ones, those that come meanwhile included. */
  @Interval(POLL_INTERVAL_MS)
  @Leased<OutboxWorker>(OUTBOX_JOB, { isDue: (worker) => worker.observe().then(() => worker.isDue()) })
  async work(signal: AbortSignal): Promise<WorkReport> {
    const total: WorkReport = { passes: 0, failed: 0, rows: 0 };
    const failed = new AbortController();
    const either = AbortSignal.any([signal, failed.signal]);
    let isOver = false;
    const background = this.runStage('background', either).finally(() => (isOver = true));
    // told below, when the foreground has ended
    background.catch(() => undefined);
    const foreground = async (): Promise<void> => {
      for (;;) {
        addTo(total, await this.runStage('foreground', signal));
        if (isOver) return;
        const pause = sleep(POLL_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => signal.throwIfAborted());
        await Promise.race([background, pause]);
        await this.observe();
      }
    };
    try {
      await foreground();
    } catch (error) {
      // nothing may run on without the lease
      failed.abort(error);
      await background.catch(() => undefined);
      throw error;
    }
    addTo(total, await background);
    return total;
  }

  /** Two short reads. */
  async isDue(): Promise<boolean> {
    return (await this.next('foreground')) !== null || (await this.next('background')) !== null;
  }

  /** Works until the outbox is empty, the grace of its last row included. */
  async drain(signal: AbortSignal, onProgress: (backlog: Backlog) => void = () => {}): Promise<WorkReport> {
    const total: WorkReport = { passes: 0, failed: 0, rows: 0 };
    for (;;) {
      addTo(total, await this.work(signal));
      const backlog = await this.backlog();
      onProgress(backlog);
      if (backlog.rows === 0) return total;
      await sleep(DRAIN_POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  async backlog(): Promise<Backlog> {
    const groups = this.rows.aggregate<{ _id: string; rows: number; oldestAgeMs: number; failing: number }>([
      // what was told is no work
      { $match: { stage: { $exists: true } } },
      {
        $group: {
          _id: '$topic',
          rows: { $sum: 1 },
          oldestAgeMs: { $max: { $subtract: ['$$NOW', '$createdAt'] } },
          failing: { $sum: { $cond: [{ $gt: ['$attempts', 0] }, 1, 0] } },
        },
      },
    ]);
    const backlog: Backlog = { rows: 0, oldestAgeMs: 0, failing: 0, byTopic: {} };
    for await (const { _id, rows, oldestAgeMs, failing } of groups) {
      backlog.rows += rows;
      backlog.failing += failing;
      backlog.byTopic[_id] = rows;
      backlog.oldestAgeMs = Math.max(backlog.oldestAgeMs, oldestAgeMs);
    }
    return backlog;
  }

  private async observe(): Promise<void> {
    if (performance.now() - this.observedAt < BACKLOG_INTERVAL_MS) return;
    this.observedAt = performance.now();
    const backlog = await this.backlog();
    waitingRows.set(backlog.rows);
    oldestSeconds.set(backlog.oldestAgeMs / 1_000);
    this.state = { ...backlog, isListening: this.stream.isOpen };
    this.bus.publish(STATE, this.state);
    if (backlog.oldestAgeMs > LATE_MS) {
      const minutes = Math.round(backlog.oldestAgeMs / 60_000);
      this.logger.warn(`${backlog.rows} rows wait, the oldest for ${minutes} min; ${backlog.failing} are failing`);
    }
  }

  private async runStage(stage: Stage, signal: AbortSignal): Promise<WorkReport> {
    const report = { passes: 0, failed: 0, rows: 0 };
    for (;;) {
      signal.throwIfAborted();
      const row = await this.next(stage);
      if (row === null) return report;
      const started = performance.now();
      try {
        const touched = await this.passes.run(row, stage, signal);
        report.rows += touched;
        report.passes++;
        const took = Math.round(performance.now() - started);
        this.logger.debug(`${nameOf(row)} (${stage}): ${touched} rows in ${took} ms`);
      } catch (error) {
        if (signal.aborted) throw error;
        report.failed++;
        await this.postpone(row, error);
      }
    }
  }

  /** The oldest row that is due for the pass, by the clock of the database. */
  private next(stage: Stage): Promise<OutboxRow | null> {
    const graceMs = stage === 'background' ? this.graceMs : 0;
    // null is before every date
    const isDue: Document = { $lte: ['$retryAt', '$$NOW'] };
    const isPastGrace: Document = { $lte: ['$createdAt', { $subtract: ['$$NOW', graceMs] }] };
    return this.rows.findOne({ stage, $expr: { $and: [isPastGrace, isDue] } }, { sort: { createdAt: 1 } });
  }

  /** One row that cannot be done does not stop the others. */
  private async postpone(row: OutboxRow, error: unknown): Promise<void> {
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** row.attempts, LONGEST_RETRY_MS);
    const lastError = error instanceof Error ? error.message : String(error);
    this.logger.error(`${nameOf(row)} failed, attempt ${row.attempts + 1}; next in ${waitMs} ms: ${lastError}`);
    passesTotal.inc({ topic: row.topic, stage: row.stage, outcome: 'failed' });
    const failed = {
      retryAt: { $add: ['$$NOW', waitMs] },
      lastError: { $literal: lastError },
      attempts: { $add: ['$attempts', 1] },
    };
    await this.rows.updateOne({ _id: row._id }, [{ $set: failed }]);
  }
}

function addTo(total: WorkReport, report: WorkReport): void {
  for (const count of ['passes', 'failed', 'rows'] as const) total[count] += report[count];
}
