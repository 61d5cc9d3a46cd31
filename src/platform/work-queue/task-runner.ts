import { Injectable, Logger } from '@nestjs/common';
import { type Collection, type Document, ObjectId } from 'mongodb';
import { endWith, inSpan, type Span, tracing } from '../../common/tracing.js';
import { within } from '../../common/within.js';
import { AppConfig } from '../../config/app-config.js';
import { JobTriggers } from '../jobs/job-triggers.js';
import { MongoService } from '../mongo/mongo.service.js';
import { settingsOf } from './lanes.js';
import { type Task, type TaskProgress, type TaskRef, TASKS_JOB, TaskSchema } from './task.schema.js';
import { repeatUntilEmpty, TaskHandlers } from './task-handlers.js';
import { lagSeconds, rowsTotal, runsTotal } from './task-metrics.js';
import { Throttle } from './throttle.js';
import type { Lane } from '../mongo/transaction-rows.js';

const MAX_BATCH = 500;
const UNJOURNALED = { w: 1, journal: false } as const;

/** The maximum wait of a response for a task that its request runs; `reservedMs` of that task. */
export const INLINE_TIMEOUT_MS = 5_000;

/**
 * Runs a task in one lane: the handlers of its topic, in their order, at the rate of this process. A task may run again, or in two
 * processes at the same time, and then finds less to do.
 */
@Injectable()
export class TaskRunner {
  private readonly logger = new Logger('Tasks');
  private readonly rows: Collection<Task>;
  private readonly throttle: Throttle;
  private readonly batchSize: number;
  private readonly cleanupDelayMs: number;

  constructor(
    private readonly mongo: MongoService,
    private readonly handlers: TaskHandlers,
    private readonly triggers: JobTriggers,
    config: AppConfig,
  ) {
    this.rows = mongo.collection(TaskSchema);
    const { cleanupDelayMs, cleanupRowsPerSecond } = config.jobs;
    this.cleanupDelayMs = cleanupDelayMs;
    this.throttle = new Throttle(cleanupRowsPerSecond);
    // A batch contains at most a quarter of a second's rows, because larger batches would cause bursts.
    this.batchSize = Math.max(1, Math.min(MAX_BATCH, Math.floor(cleanupRowsPerSecond / 4)));
  }

  /**
   * Deletes a finished task, or moves it to the next lane of its topic. Continues at the stored progress of an earlier attempt.
   * @returns the number of touched documents
   * @throws the error of a handler, or the signal's reason between two batches; the task stays unchanged
   */
  run(task: TaskRef, lane: Lane, signal: AbortSignal): Promise<number> {
    const { topic, traceparent, attempts = 1 } = task;
    if (traceparent === undefined) return this.runHandlers(task, lane, signal);
    const attributes = { 'opencanvas.lane': lane, 'opencanvas.attempt': attempts };
    const span = tracing.tracer?.start(`task ${topic}`, [traceparent], { attributes });
    return endWith(span, this.runHandlers(task, lane, signal, span));
  }

  private async runHandlers(task: TaskRef, lane: Lane, signal: AbortSignal, span?: Span): Promise<number> {
    const { _id, topic, payload, attempts = 1, progress } = task;
    let touched = 0;
    const handlers = this.handlers.of(topic, lane);
    const reached = handlers.findIndex(({ name }) => name === progress?.handler);
    for (const [at, { name, run }] of handlers.entries()) {
      if (at < reached) continue;
      signal.throwIfAborted();
      const throttle = async (count: number, position?: unknown): Promise<void> => {
        touched += count;
        rowsTotal.inc({ handler: name }, count);
        if (position !== undefined) await this.saveProgress(_id, lane, { handler: name, position });
        await this.throttle.wait(count, signal);
      };
      const deleteInBatches = (collection: string, filter: Document): Promise<void> =>
        this.deleteInBatches(this.mongo.collection(collection), filter, throttle);
      const position = at === reached ? progress?.position : undefined;
      const context = {
        id: _id,
        attempt: attempts,
        lane,
        traceparent: span?.traceparent,
        signal,
        batchSize: this.batchSize,
        throttle,
        deleteInBatches,
      };
      const outcome = await inSpan(span, () => run({ payload, position, ...context }));
      if (outcome !== undefined) {
        const later = outcome === 'slow' ? { lane: settingsOf(lane).slow, runAt: '$$NOW' } : { runAt: outcome };
        await this.rows.updateOne({ _id }, [{ $set: { ...later, attempts: attempts - 1 } }]);
        return touched;
      }
    }
    const projection = { lagMs: { $subtract: ['$$NOW', '$dueAt'] } };
    const next = this.handlers.nextLane(topic, lane);
    const runAt = next === 'background' ? { $add: ['$dueAt', this.cleanupDelayMs] } : '$$NOW';
    const rest = [{ $set: { lane: next, runAt, attempts: 0, lastError: null } }, { $unset: 'progress' }];
    const row: Document | null =
      next === null
        ? await this.rows.findOneAndDelete({ _id }, { projection })
        : await this.rows.findOneAndUpdate({ _id, lane }, rest, { projection });
    // Null: another process was faster.
    if (row === null) return touched;
    if (next !== null) this.triggers.fire(TASKS_JOB);
    runsTotal.inc({ topic, lane, outcome: 'done' });
    lagSeconds.observe({ topic, lane }, row['lagMs'] / 1_000);
    return touched;
  }

  /** A position that is lost in a crash only repeats rows. */
  private async saveProgress(_id: ObjectId, lane: Lane, progress: TaskProgress): Promise<void> {
    await this.rows.updateOne({ _id, lane }, { $set: { progress } }, { writeConcern: UNJOURNALED });
  }

  /**
   * Runs the foreground of a task in the request that added it, so that its response can report completion. Never throws: the worker
   * repeats a task that fails or takes longer than INLINE_TIMEOUT_MS.
   */
  async runInline(task: TaskRef): Promise<void> {
    const late = new AbortController();
    const run = this.run(task, 'foreground', late.signal).catch((error: unknown) => {
      if (!late.signal.aborted)
        this.logger.warn(`${nameOf(task)} failed and continues in the jobs process: ${String(error)}`);
      return 0;
    });
    if ((await within(INLINE_TIMEOUT_MS, run)) !== undefined) return;
    this.logger.warn(`${nameOf(task)} takes longer than ${INLINE_TIMEOUT_MS} ms and continues in the jobs process`);
    late.abort();
  }

  /**
   * Deletes by `_id` in batches, for short locks, bounded oplog entries and a stop between batches. Skips documents that no longer match.
   */
  private async deleteInBatches(
    collection: Collection,
    filter: Document,
    throttle: (rows: number) => Promise<void>,
  ): Promise<void> {
    await repeatUntilEmpty(throttle, async () => {
      const found = await collection.find(filter, { projection: { _id: 1 }, limit: this.batchSize }).toArray();
      const range = { $and: [{ _id: { $in: found.map(({ _id }) => _id) } }, filter] };
      // The hint prevents a scan of the whole index of the filter for each batch.
      if (found.length > 0) await collection.deleteMany(range, { hint: { _id: 1 } });
      return found.length;
    });
  }
}

/** Omits payloads other than ids, because they may be secrets. */
export function nameOf({ _id, topic, payload }: TaskRef): string {
  return `${topic} ${(payload instanceof ObjectId ? payload : _id).toHexString()}`;
}
