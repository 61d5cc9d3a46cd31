import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Collection, Document } from 'mongodb';
import { JobTriggers } from '../jobs/job-triggers.js';
import { MongoService } from '../mongo/mongo.service.js';
import { LanePlaces } from './lane-places.js';
import { LANE_NAMES, settingsOf } from './lanes.js';
import { type Task, TASKS_JOB, TaskSchema } from './task.schema.js';
import { oldestSeconds, runsTotal, waitingTasks } from './task-metrics.js';
import { Pauses } from './pauses.js';
import { runLane } from './run-lane.js';
import { nameOf, TaskRunner } from './task-runner.js';
import type { Lane } from '../mongo/transaction-rows.js';

export type WorkReport = { done: number; failed: number; rows: number };
/** Only `byTopic` includes mails and pushes, because their servers may be unavailable or refuse messages for hours. */
export type Backlog = { rows: number; oldestAgeMs: number; failing: number; byTopic: Record<string, number> };
type Group = { _id: { topic: string; lane: Lane }; rows: number; oldestAgeMs: number; failing: number };

const POLL_INTERVAL_MS = 500;
const BACKLOG_INTERVAL_MS = 15_000;
/** Age of the oldest task from which the backlog is logged as a warning. */
const LATE_MS = 600_000;
const DRAIN_POLL_MS = 200;
/** A claim that is lost in a crash only repeats the task earlier. */
const UNJOURNALED = { w: 1, journal: false } as const;

const IS_DUE = { $expr: { $lte: ['$runAt', '$$NOW'] } };

/** Runs the tasks of all lanes; the caller holds the lease. A task whose process was killed runs again from its beginning. */
@Injectable()
export class TaskWorker implements OnModuleInit {
  private readonly logger = new Logger('Tasks');
  private readonly rows: Collection<Task>;
  private observedAt = -Infinity;

  constructor(
    mongo: MongoService,
    private readonly runner: TaskRunner,
    private readonly triggers: JobTriggers,
  ) {
    this.rows = mongo.collection(TaskSchema);
  }

  onModuleInit(): void {
    this.triggers.register(TASKS_JOB, {
      everyMs: POLL_INTERVAL_MS,
      dueInMs: () => this.observe().then(() => this.dueInMs()),
      work: (signal) => this.work(signal),
    });
  }

  /** Runs due tasks, including those that become due during the run, until no lane has any. */
  async work(signal: AbortSignal): Promise<WorkReport> {
    const report: WorkReport = { done: 0, failed: 0, rows: 0 };
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    // Every running task listens. Node warns of more than ten listeners.
    setMaxListeners(0, either);
    const pauses = new Pauses(POLL_INTERVAL_MS);
    either.addEventListener('abort', () => pauses.endAll(), { once: true });
    let active = LANE_NAMES.length;
    const onIdle = async (): Promise<boolean> => {
      if (--active === 0) {
        // The last task may have continued in a lane that was idle already.
        if ((await this.dueInMs()) <= 0) pauses.endAll();
        else if (active === 0) ended.abort();
      }
      if (!either.aborted) await pauses.start();
      if (ended.signal.aborted) return true;
      active++;
      await this.observe();
      return false;
    };
    // Stops all lanes after a failure. The lease is held until all of them have stopped.
    const fail = (error: unknown): never => {
      ended.abort(error);
      throw error;
    };
    const lanes = LANE_NAMES.map((lane) => {
      const places = new LanePlaces(lane);
      const claim = (): Promise<Task | null> => this.claim(lane, places).catch(fail);
      const run = (task: Task): Promise<void> => this.runClaimed(task, either, report).catch(fail);
      return runLane({ places, claim, run, onIdle, pollMs: POLL_INTERVAL_MS, signal: either }).catch(fail);
    });
    for (const end of await Promise.allSettled(lanes)) if (end.status === 'rejected') throw end.reason;
    return report;
  }

  /** Returns the time until the next task is due, by the database's clock. */
  async dueInMs(): Promise<number> {
    const next = await this.rows.findOne<{ inMs: number }>(
      { lane: { $in: LANE_NAMES } },
      { sort: { runAt: 1 }, projection: { _id: 0, inMs: { $subtract: ['$runAt', '$$NOW'] } } },
    );
    return next?.inMs ?? Infinity;
  }

  /** Runs all tasks that are due or delayed, except mails and pushes. */
  async drain(signal: AbortSignal, onProgress: (backlog: Backlog) => void = () => {}): Promise<WorkReport> {
    const total: WorkReport = { done: 0, failed: 0, rows: 0 };
    for (;;) {
      const report = await this.work(signal);
      for (const count of ['done', 'failed', 'rows'] as const) total[count] += report[count];
      const backlog = await this.backlog();
      onProgress(backlog);
      if (backlog.rows === 0) return total;
      await sleep(DRAIN_POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  async backlog(): Promise<Backlog> {
    return sumOf(await this.groups());
  }

  private groups(): Promise<Group[]> {
    const groups = this.rows.aggregate<Group>([
      // Excludes tasks that are scheduled for later.
      { $match: { lane: { $in: LANE_NAMES }, $expr: { $lte: ['$dueAt', '$$NOW'] } } },
      {
        $group: {
          _id: { topic: '$topic', lane: '$lane' },
          rows: { $sum: 1 },
          oldestAgeMs: { $max: { $subtract: ['$$NOW', '$dueAt'] } },
          failing: { $sum: { $cond: [{ $eq: ['$lastError', null] }, 0, 1] } },
        },
      },
    ]);
    return groups.toArray();
  }

  private async observe(): Promise<void> {
    if (performance.now() - this.observedAt < BACKLOG_INTERVAL_MS) return;
    this.observedAt = performance.now();
    const groups = await this.groups();
    const backlog = sumOf(groups);
    waitingTasks.reset();
    for (const { _id, rows } of groups) waitingTasks.set(_id, rows);
    oldestSeconds.set(backlog.oldestAgeMs / 1_000);
    if (backlog.oldestAgeMs > LATE_MS) {
      const minutes = Math.round(backlog.oldestAgeMs / 60_000);
      this.logger.warn(`${backlog.rows} tasks wait, the oldest for ${minutes} min; ${backlog.failing} are failing`);
    }
  }

  /** Returns the next due task of a lane that has a place, or null. Writes its next attempt first, so that the task runs again after a kill. */
  private claim(lane: Lane, places = new LanePlaces(lane)): Promise<Task | null> {
    const claimed = { attempts: { $add: ['$attempts', 1] }, runAt: retryAt(lane, '$attempts') };
    const options = { sort: { runAt: 1 }, returnDocument: 'after', writeConcern: UNJOURNALED } as const;
    return this.rows.findOneAndUpdate({ lane, ...IS_DUE, ...places.filter() }, [{ $set: claimed }], options);
  }

  /** A failed task does not stop the others. @throws the signal's reason */
  private async runClaimed(task: Task, signal: AbortSignal, report: WorkReport): Promise<void> {
    const { _id, topic, lane, attempts } = task;
    const started = performance.now();
    try {
      const touched = await this.runner.run(task, lane, signal);
      report.rows += touched;
      report.done++;
      const took = Math.round(performance.now() - started);
      this.logger.debug(`${nameOf(task)} (${lane}): ${touched} rows in ${took} ms`);
    } catch (error) {
      if (signal.aborted) throw error;
      report.failed++;
      const lastError = error instanceof Error ? error.message : String(error);
      this.logger.error(`${nameOf(task)} failed, attempt ${attempts}: ${lastError}`);
      runsTotal.inc({ topic, lane, outcome: 'failed' });
      const failed = { lastError: { $literal: lastError }, runAt: retryAt(lane, attempts - 1) };
      await this.rows.updateOne({ _id, lane, attempts }, [{ $set: failed }]);
    }
  }
}

function sumOf(groups: Group[]): Backlog {
  const backlog: Backlog = { rows: 0, oldestAgeMs: 0, failing: 0, byTopic: {} };
  for (const { _id, rows, oldestAgeMs, failing } of groups) {
    backlog.byTopic[_id.topic] = (backlog.byTopic[_id.topic] ?? 0) + rows;
    if (settingsOf(_id.lane)?.callsOthers) continue;
    backlog.rows += rows;
    backlog.failing += failing;
    backlog.oldestAgeMs = Math.max(backlog.oldestAgeMs, oldestAgeMs);
  }
  return backlog;
}

/** @param failures the number of attempts before this one, or an expression */
function retryAt(lane: Lane, failures: number | string): Document {
  const { retrySeconds } = settingsOf(lane);
  const seconds = { $arrayElemAt: [retrySeconds, { $min: [failures, retrySeconds.length - 1] }] };
  return { $add: ['$$NOW', { $multiply: [seconds, 1_000] }] };
}
