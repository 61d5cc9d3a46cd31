import { Injectable, Logger } from '@nestjs/common';
import { type Collection, type Document, ObjectId } from 'mongodb';
import { within } from '../../common/within.js';
import { AppConfig } from '../../config/app-config.js';
import { MongoService } from '../mongo/mongo.service.js';
import { OutboxHandlers } from './task-handlers.js';
import { lagSeconds, passesTotal, rowsTotal } from '../events/event-metrics.js';
import { type AddedRow, OUTBOX, type OutboxRow, type Stage } from '../events/event-row.js';
import { Throttle } from './throttle.js';

const MAX_BATCH = 500;

/** What a response waits for the foreground pass of its row at most; `heldMs` of the row. */
export const FOREGROUND_MS = 5_000;

/**
 * Runs one pass of one row: the handlers of its topic, in their order, at the rate of this process. A pass may run again, or in two
 * processes at the same time; it then finds less to do.
 */
@Injectable()
export class OutboxPasses {
  private readonly logger = new Logger('Outbox');
  private readonly rows: Collection<OutboxRow>;
  private readonly throttle: Throttle;
  private readonly batchSize: number;

  constructor(
    private readonly mongo: MongoService,
    private readonly handlers: OutboxHandlers,
    config: AppConfig,
  ) {
    this.rows = mongo.collection<OutboxRow>(OUTBOX);
    const { sweepRowsPerSecond } = config.jobs;
    this.throttle = new Throttle(sweepRowsPerSecond);
    // at most a quarter of a second's worth, so that the rate is a rate and not a row of bursts
    this.batchSize = Math.max(1, Math.min(MAX_BATCH, Math.floor(sweepRowsPerSecond / 4)));
  }

  /**
   * Removes the row after its background pass, or when there is none for it. @returns how many documents were touched
   * @throws what a handler throws, or the signal's reason between two batches; the row stays as it was
   */
  async run({ _id, topic, payload }: AddedRow, stage: Stage, signal: AbortSignal): Promise<number> {
    let touched = 0;
    for (const { name, run } of this.handlers.of(topic, stage)) {
      signal.throwIfAborted();
      const throttle = async (count: number): Promise<void> => {
        touched += count;
        rowsTotal.inc({ handler: name }, count);
        await this.throttle.wait(count, signal);
      };
      const deleteInBatches = (collection: string, filter: Document): Promise<void> =>
        this.deleteInBatches(this.mongo.collection(collection), filter, throttle);
      await run({ payload, batchSize: this.batchSize, throttle, deleteInBatches });
    }
    const lagMs = { $subtract: ['$$NOW', '$createdAt'] };
    const done = { stage: 'background', attempts: 0, retryAt: null, lastError: null };
    const isLast = stage === 'background' || this.handlers.of(topic, 'background').length === 0;
    const row = isLast
      ? await this.rows.findOneAndDelete({ _id }, { projection: { lagMs } })
      : await this.rows.findOneAndUpdate({ _id }, { $set: done as Document }, { projection: { lagMs } });
    // null: another process was quicker
    if (row === null) return touched;
    passesTotal.inc({ topic, stage, outcome: 'done' });
    lagSeconds.observe({ topic, stage }, ((row as Document)['lagMs'] as number) / 1_000);
    return touched;
  }

  /**
   * The foreground pass in the request that left the row, so that its response can say that all is gone. Never throws: what fails, or
   * takes longer than FOREGROUND_MS, is left to the worker.
   */
  async finishForeground(row: AddedRow): Promise<void> {
    const late = new AbortController();
    const pass = this.run(row, 'foreground', late.signal).catch((error: unknown) => {
      if (!late.signal.aborted) this.logger.warn(`${nameOf(row)} is left to the jobs process: ${String(error)}`);
      return 0;
    });
    if ((await within(FOREGROUND_MS, pass)) !== undefined) return;
    this.logger.warn(`${nameOf(row)} takes longer than ${FOREGROUND_MS} ms and is left to the jobs process`);
    late.abort();
  }

  /**
   * Each batch by `_id`: short locks, bounded oplog entries, and a place to stop after every one. What no longer matches when it is its
   * turn stays.
   */
  private async deleteInBatches(
    collection: Collection,
    filter: Document,
    throttle: (rows: number) => Promise<void>,
  ): Promise<void> {
    for (;;) {
      const found = await collection
        .find(filter, { projection: { _id: 1 } })
        .limit(this.batchSize)
        .toArray();
      if (found.length === 0) return;
      // with the hint: an index of the filter would be read to its end for each batch
      await collection.deleteMany(
        { $and: [{ _id: { $in: found.map(({ _id }) => _id) } }, filter] },
        { hint: { _id: 1 } },
      );
      await throttle(found.length);
    }
  }
}

export function nameOf({ topic, payload }: AddedRow): string {
  return `${topic} ${payload instanceof ObjectId ? payload.toHexString() : JSON.stringify(payload)}`;
}
