import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Document } from 'mongodb';
import { BACKGROUND } from '../platform/mongo/slow-query/command-monitor.js';
import type { MovedPost } from '../posts/ranking/rank-diff.js';

/** Keeps a run whose lease has passed on from touching what readers of the next one see. */
export type RunFence = {
  /** fields of a command that the server refuses after the lease (`fenceOf`) */
  fields: () => { let: Document; maxTimeMS: number };
  /** @throws LeaseLostError unless the run may still change what no fence holds, and for some seconds to come */
  confirm: () => Promise<void>;
};

const BATCH_SIZE = 1_000;
const BATCHES_IN_FLIGHT = 4;
/** while few batches are in flight, so many rows are worth one */
const IDLE_BATCH_SIZE = 100;
const IDLE_BATCHES_IN_FLIGHT = 2;

/** Stores ranks that moved, in unordered batches, several at a time; after a failure it takes no more. */
export class RankWrites {
  written = 0;
  private readonly inFlight = new Set<Promise<void>>();
  private readonly failed = new AbortController();
  private readonly stop: AbortSignal;
  private waiting: MovedPost[] = [];

  constructor(
    private readonly db: Db,
    signal: AbortSignal,
    private readonly fence: RunFence,
    private readonly onProgress?: (written: number) => void,
  ) {
    this.stop = AbortSignal.any([signal, this.failed.signal]);
  }

  /** Resolves when there is room for more. */
  async add(rows: MovedPost[]): Promise<void> {
    this.waiting = this.waiting.concat(rows);
    while (this.waiting.length >= BATCH_SIZE || this.isIdleWorth()) await this.send();
    this.stop.throwIfAborted();
  }

  /** Resolves when all is stored. */
  async flush(): Promise<void> {
    while (this.waiting.length > 0) await this.send();
    await this.settled();
    this.stop.throwIfAborted();
  }

  /** Resolves when nothing is in flight, whatever became of it. */
  async settled(): Promise<void> {
    await Promise.all(this.inFlight);
  }

  private isIdleWorth(): boolean {
    return this.inFlight.size < IDLE_BATCHES_IN_FLIGHT && this.waiting.length >= IDLE_BATCH_SIZE;
  }

  private async send(): Promise<void> {
    while (this.inFlight.size >= BATCHES_IN_FLIGHT) await Promise.race(this.inFlight);
    this.stop.throwIfAborted();
    // the server works on a batch with one thread: few rows are dealt out, too
    const share = Math.ceil(this.waiting.length / (BATCHES_IN_FLIGHT - this.inFlight.size));
    const size = Math.min(BATCH_SIZE, Math.max(IDLE_BATCH_SIZE, share));
    const batch = this.waiting.slice(0, size);
    this.waiting = this.waiting.slice(size);
    const write = this.write(batch)
      .then(() => {
        this.written += batch.length;
        this.onProgress?.(this.written);
      })
      .catch((error: unknown) => this.failed.abort(error))
      .finally(() => this.inFlight.delete(write));
    this.inFlight.add(write);
  }

  /** Majority: what the flip makes visible must not be rolled back by a failover between the two. Repeating a batch changes nothing. */
  private async write(batch: MovedPost[]): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await update(this.db, batch, this.fence.fields());
        return;
      } catch (error) {
        // a row that a vote holds in its transaction, an election
        if (attempt === 5 || this.stop.aborted) throw error;
        await sleep(50 * 2 ** attempt);
      }
    }
  }
}

/**
 * An unordered bulk write, as the command that `bulkWrite` sends, but not as a retryable write: the server would keep a record of every
 * row in `config.transactions`, which costs it a quarter more, and batches are repeated here anyway. The validator holds counters and
 * says nothing of ranks.
 */
async function update(db: Db, batch: MovedPost[], fence: Document): Promise<void> {
  const reply = await db.command({
    update: 'posts',
    updates: batch.map(({ _id, changes }) => ({ q: { _id }, u: { $set: changes } })),
    ordered: false,
    bypassDocumentValidation: true,
    writeConcern: { w: 'majority' },
    comment: BACKGROUND,
    ...fence,
  });
  const failures = [...((reply['writeErrors'] as Failure[] | undefined) ?? []), reply['writeConcernError'] as Failure];
  const failure = failures.find(Boolean);
  if (failure) throw new Error(`A batch of ranks was not stored: ${failure.errmsg ?? 'the server did not say why'}`);
}

type Failure = { errmsg?: string } | undefined;
