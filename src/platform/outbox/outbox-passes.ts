import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Collection } from 'mongodb';
import { AppConfig } from '../../config/app-config.js';
import { MongoService } from '../mongo/mongo.service.js';
import { deleteInBatches } from '../jobs/delete-in-batches.js';
import { type SweepContext, SweepHandlers, type SweepPass } from './outbox-handlers.js';
import { observeEarlyPass, observeRows, observeTask } from './outbox-metrics.js';
import { SweepRate } from './throttle.js';
import { type AddedSweepTask, SWEEP_TASKS, type SweepTask } from './outbox.js';

const MAX_BATCH = 500;

/** What an answer waits for the early pass of its task at most; `heldMs` of the task. */
export const EARLY_PASS_MS = 5_000;

/**
 * Runs one pass of one task: all handlers the rooms registered for it, in their order, at the rate of this process. A pass may run
 * again, or in two processes at once; it then finds the less to do.
 */
@Injectable()
export class SweepPasses {
  private readonly logger = new Logger('SweepPasses');
  private readonly tasks: Collection<SweepTask>;
  private readonly rate: SweepRate;
  private readonly batchSize: number;

  constructor(
    private readonly mongo: MongoService,
    private readonly handlers: SweepHandlers,
    config: AppConfig,
  ) {
    this.tasks = mongo.collection<SweepTask>(SWEEP_TASKS);
    const { sweepRowsPerSecond } = config.jobs;
    this.rate = new SweepRate(sweepRowsPerSecond);
    // at most a quarter of a second's worth at once, so that the rate is a rate and not a row of bursts
    this.batchSize = Math.max(1, Math.min(MAX_BATCH, Math.floor(sweepRowsPerSecond / 4)));
  }

  /**
   * The task leaves the queue after its final pass.
   * @returns the rows touched
   * @throws what a handler throws, or the signal's reason between two batches; the task stays as it was
   */
  async run(task: AddedSweepTask, pass: SweepPass, signal: AbortSignal): Promise<number> {
    let rows = 0;
    for (const handler of this.handlers.of(task.kind, pass)) {
      signal.throwIfAborted();
      const spend = async (count: number): Promise<void> => {
        rows += count;
        observeRows(handler.name, count);
        await this.rate.spend(count, signal);
      };
      const context: SweepContext = {
        task,
        targetId: task.targetId,
        batchSize: this.batchSize,
        spend,
        deleteInBatches: (collection, filter) =>
          deleteInBatches(this.mongo.collection(collection), filter, this.batchSize, spend),
      };
      await handler.run(context);
    }
    if (pass === 'final') await this.tasks.deleteOne({ _id: task._id });
    else {
      const done = { earlyDoneAt: '$$NOW', attempts: 0, retryAt: null, lastError: null };
      const row = await this.tasks.findOneAndUpdate({ _id: task._id }, [{ $set: done }], { returnDocument: 'after' });
      if (row !== null) observeEarlyPass(task.kind, row.earlyDoneAt!.getTime() - row.createdAt.getTime());
    }
    observeTask(task.kind, pass, 'done');
    return rows;
  }

  /**
   * The early pass in the request that left the task, so that its answer can say that all is gone. Never throws: what is not done
   * after EARLY_PASS_MS, or fails, the sweeper takes up when the task is no longer held.
   */
  async finishEarly(task: AddedSweepTask): Promise<void> {
    const late = new AbortController();
    const answered = new AbortController();
    const pass = this.run(task, 'early', late.signal).catch((error: unknown) => {
      if (!late.signal.aborted) this.logger.warn(`${nameOf(task)} is left to the sweeper: ${String(error)}`);
    });
    const limit = sleep(EARLY_PASS_MS, undefined, { signal: answered.signal }).then(
      () => {
        this.logger.warn(`${nameOf(task)} takes longer than ${EARLY_PASS_MS} ms and is left to the sweeper`);
        late.abort();
      },
      () => {},
    );
    await Promise.race([pass, limit]);
    answered.abort();
  }
}

function nameOf({ kind, targetId }: AddedSweepTask): string {
  return `${kind} ${targetId.toHexString()}`;
}
