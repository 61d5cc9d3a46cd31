import { isDatabaseOutage } from './database-outage.js';
import { CodedError } from './errors.js';

export type GroupCommitOptions<Item, Result> = {
  /** for messages and metrics */
  name: string;
  /**
   * Commits the batch atomically: after it resolves every item is durable, after it rejects none is. One result per item, in
   * order; an Error in place of a result refuses that item alone.
   */
  commit: (items: Item[]) => Promise<(Result | Error)[]>;
  /** waits until this process may commit, resolves with what ends its turn; items go on joining the batch meanwhile */
  turn?: () => Promise<() => void>;
  /** items per commit */
  maxBatch?: number;
  /** items waiting; one more is refused with `overloaded` */
  maxQueue?: number;
};

const nothing = (): void => undefined;

type Waiting<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (reason: unknown) => void };

const running = new Set<GroupCommit<unknown, unknown>>();

/** Every group of this process that is not closed, for whoever keeps metrics. */
export function runningGroups(): Iterable<GroupCommit<unknown, unknown>> {
  return running;
}

/**
 * Calls that arrive while a commit is under way form the next batch, so a commit's fixed cost is shared by everybody who waits
 * for it, and an idle caller waits for nobody. Batches of one instance never overlap: a batch sees all that came before it.
 * Each caller is answered after the commit that holds its item. A batch that fails as a whole is split in halves until the
 * poisoned item fails alone.
 */
export class GroupCommit<Item, Result> {
  private readonly queue: Waiting<Item, Result>[] = [];
  private readonly maxBatch: number;
  private readonly maxQueue: number;
  private draining: Promise<void> | null = null;
  private closed = false;

  readonly stats = { batches: 0, items: 0, refused: 0, split: 0, largestBatch: 0 };

  constructor(private readonly options: GroupCommitOptions<Item, Result>) {
    this.maxBatch = options.maxBatch ?? 500;
    this.maxQueue = options.maxQueue ?? 10_000;
    running.add(this as GroupCommit<unknown, unknown>);
  }

  get name(): string {
    return this.options.name;
  }

  get queued(): number {
    return this.queue.length;
  }

  /**
   * @returns this item's own result, once it is durable
   * @throws CodedError `overloaded` when the queue is full, `shutting_down` after `close`
   */
  submit(item: Item): Promise<Result> {
    if (this.closed) {
      return Promise.reject(
        new CodedError('shutting_down', 'The server is restarting; send the request again.', { retryAfterSeconds: 1 }),
      );
    }
    if (this.queue.length >= this.maxQueue) {
      this.stats.refused++;
      const detail = `Too many writes are waiting (${this.options.name}); send the request again in a moment.`;
      return Promise.reject(new CodedError('overloaded', detail, { retryAfterSeconds: 1 }));
    }
    return new Promise<Result>((resolve, reject) => {
      this.queue.push({ item, resolve, reject });
      this.draining ??= this.drain();
    });
  }

  /** Refuses new items and resolves when every accepted one has its answer. */
  async close(): Promise<void> {
    this.closed = true;
    await this.draining;
    running.delete(this as GroupCommit<unknown, unknown>);
  }

  private async drain(): Promise<void> {
    // one turn of the event loop: requests parsed in the same poll join the first batch
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.queue.length > 0) {
      const endTurn = (await this.options.turn?.()) ?? nothing;
      await this.run(this.queue.splice(0, this.maxBatch), endTurn);
    }
    this.draining = null;
  }

  /** The turn ends before the callers go on: while they write their answers, whoever waited for it commits. */
  private async run(batch: Waiting<Item, Result>[], endTurn: () => void): Promise<void> {
    this.stats.batches++;
    this.stats.items += batch.length;
    this.stats.largestBatch = Math.max(this.stats.largestBatch, batch.length);
    let results: (Result | Error)[];
    try {
      results = await this.options.commit(batch.map((waiting) => waiting.item));
    } catch (error) {
      if (batch.length === 1 || isOutage(error)) {
        endTurn();
        for (const waiting of batch) waiting.reject(error);
        return;
      }
      this.stats.split++;
      const middle = batch.length >> 1;
      await this.run(batch.slice(0, middle), nothing);
      await this.run(batch.slice(middle), endTurn);
      return;
    }
    endTurn();
    // a commit that loses count must not answer anybody with somebody else's result
    const isComplete = results.length === batch.length;
    batch.forEach((waiting, index) => {
      const result = isComplete ? results[index] : this.miscounted(results.length, batch.length);
      if (result instanceof Error) waiting.reject(result);
      else waiting.resolve(result as Result);
    });
  }

  private miscounted(results: number, items: number): Error {
    return new Error(`${this.options.name}: the commit gave ${results} results for ${items} items`);
  }
}

/**
 * An outage fails the batch as it stands: halving it would only ask a server that is not there again and again, and when the batch may
 * have been committed, its halves would be answered "duplicate" for writes that are in.
 */
function isOutage(error: unknown): boolean {
  return error instanceof CodedError ? error.status === 503 : isDatabaseOutage(error);
}
