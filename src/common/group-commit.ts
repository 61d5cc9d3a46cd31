import { afterNextPoll, afterThisPoll, ClientGone, type IsGone } from './client-gone.js';
import { isDatabaseOutage } from './database-outage.js';
import { CodedError } from './errors.js';
import { hostClock } from './host-clock.js';

export type GroupCommitOptions<Item, Result> = {
  /** for messages and metrics */
  name: string;
  /**
   * Commits the batch atomically: after it resolves every item is durable, after it rejects none is. One result per item, in
   * order; an Error in place of a result refuses that item alone. `stillWanted` is awaited after the batch has read and before it
   * writes: it throws when an item was given up meanwhile. Together with a snapshot that conflicts with whatever was committed after
   * that read, it keeps an attempt that its client gave up from undoing what the client did later.
   */
  commit: (items: Item[], stillWanted: () => Promise<void>) => Promise<(Result | Error)[]>;
  /** has another process commit them; undefined for what is to be committed here after all */
  delegate?: (items: Item[]) => Promise<(Result | Error | undefined)[]>;
  /** waits until this process may commit, resolves with what ends its turn; items go on joining the batch meanwhile */
  turn?: () => Promise<() => void>;
  /** items per commit */
  maxBatch?: number;
  /** items waiting; one more is refused with `overloaded` */
  maxQueue?: number;
  /** nothing is under way any more, and nothing will be accepted */
  onClosed?: () => void;
};

const nothing = (): void => undefined;

/** From so many callers at once it is worth waiting for them to come back together. */
const GATHER_FROM = 8;
/** Callers that are slower than this are not waited for. */
const MAX_GATHER_MS = 8;
/** An item that was not written after so long is refused: its client repeats it, and should not meet it again much later. */
const MAX_WAIT_MS = 8_000;

const neverGone: IsGone = () => false;

export type SubmitOptions = {
  /** the client of the item has left */
  isGone?: IsGone;
  /** the result is not waited for from then on (host clock, ms) */
  until?: number;
};

type Waiting<Item, Result> = {
  item: Item;
  isGone: IsGone;
  until: number;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
};

const running = new Set<GroupCommit<unknown, unknown>>();

/** Every group of this process that is not closed, for whoever keeps metrics. */
export function runningGroups(): Iterable<GroupCommit<unknown, unknown>> {
  return running;
}

/**
 * Calls that arrive while a commit is under way form the next batch, so a commit's fixed cost is shared by everybody who waits
 * for it, and an idle caller waits for nobody. Callers that were answered together come back together, but not at once: a batch
 * waits for as many as there were, at most as long as the last commit took. Batches of one instance never overlap: a batch sees
 * all that came before it. Each caller is answered after the commit that holds its item. A batch that fails as a whole is split
 * in halves until the poisoned item fails alone.
 */
export class GroupCommit<Item, Result> {
  private readonly queue: Waiting<Item, Result>[] = [];
  private readonly maxBatch: number;
  private readonly maxQueue: number;
  private draining: Promise<void> | null = null;
  private closed = false;
  /** callers there were at the end of the last commit, those that it answered and those that waited by then; ms it took */
  private last = { callers: 0, ms: 0 };
  private gathered: () => void = nothing;

  readonly stats = { batches: 0, items: 0, delegated: 0, refused: 0, gone: 0, split: 0, largestBatch: 0 };

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
   * @throws CodedError `overloaded` when the queue is full or the item's time is over, `shutting_down` after `close`
   * @throws ClientGone when the client left before the item was written
   */
  submit(item: Item, { isGone = neverGone, until = hostClock() + MAX_WAIT_MS }: SubmitOptions = {}): Promise<Result> {
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
      this.queue.push({ item, isGone, until, resolve, reject });
      if (this.queue.length >= this.last.callers) this.gathered();
      this.draining ??= this.drain();
    });
  }

  /** Refuses new items and resolves when every accepted one has its answer. */
  async close(): Promise<void> {
    this.closed = true;
    this.gathered();
    await this.draining;
    running.delete(this as GroupCommit<unknown, unknown>);
    this.options.onClosed?.();
  }

  private async drain(): Promise<void> {
    // requests that are read in the same poll join the first batch
    if (this.options.delegate === undefined) await afterThisPoll();
    while (this.queue.length > 0) {
      await this.gather();
      const own = await this.delegate();
      if (own === 0) continue;
      const endTurn = (await this.options.turn?.()) ?? nothing;
      // what was asked to be committed here comes first, and with it whatever else there is by now
      await this.run(this.queue.splice(0, this.maxBatch), endTurn);
    }
    this.draining = null;
  }

  private async gather(): Promise<void> {
    const { callers, ms } = this.last;
    if (this.closed || callers < GATHER_FROM || this.queue.length >= callers) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, MAX_GATHER_MS));
      this.gathered = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.gathered = nothing;
  }

  /** @returns how many items are left to be committed here, at the front of the queue */
  private async delegate(): Promise<number> {
    if (this.options.delegate === undefined) return this.queue.length;
    // What was given away cannot be looked at again: every client that has left by now must be known. Of those that come
    // during the wait it is not, so they are left for the next batch.
    const known = Math.min(this.queue.length, this.maxBatch);
    await afterNextPoll();
    const begunAt = performance.now();
    const batch = this.takeWanted(this.queue.splice(0, known));
    if (batch.length === 0) return 0;
    // an answer that cannot be read (a process of another version) leaves the whole batch to this process
    const delegated = this.options.delegate(batch.map(({ item }) => item));
    const results = await delegated.catch((): undefined[] => []);
    const own = batch.filter((_waiting, index) => results[index] === undefined);
    const answered = batch.length - own.length;
    this.stats.delegated += answered;
    this.queue.unshift(...own);
    if (answered > 0) this.note(begunAt, answered);
    batch.forEach((waiting, index) => {
      const result = results[index];
      if (result !== undefined) settle(waiting, result);
    });
    return own.length;
  }

  /** Those that are still waited for; the others are refused. */
  private takeWanted(items: Waiting<Item, Result>[]): Waiting<Item, Result>[] {
    return items.filter((waiting) => {
      if (isWanted(waiting)) return true;
      const isGone = waiting.isGone();
      if (isGone) this.stats.gone++;
      waiting.reject(isGone ? new ClientGone() : tooLate(this.options.name));
      return false;
    });
  }

  private note(begunAt: number, answered: number): void {
    const callers = Math.min(answered + this.queue.length, this.maxBatch);
    this.last = { callers, ms: performance.now() - begunAt };
  }

  /** The turn ends before the callers go on: while they write their answers, whoever waited for it commits. */
  private async run(accepted: Waiting<Item, Result>[], endTurn: () => void): Promise<void> {
    const batch = this.takeWanted(accepted);
    if (batch.length === 0) return endTurn();
    this.stats.batches++;
    this.stats.items += batch.length;
    this.stats.largestBatch = Math.max(this.stats.largestBatch, batch.length);
    const begunAt = performance.now();
    let results: (Result | Error)[];
    try {
      results = await this.options.commit(
        batch.map(({ item }) => item),
        async () => {
          // the end of a connection may have been found by the same poll as what the batch has read
          await afterThisPoll();
          if (!batch.every(isWanted)) throw new GivenUp();
        },
      );
    } catch (error) {
      if (error instanceof GivenUp) return this.run(batch, endTurn);
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
    this.note(begunAt, batch.length);
    // a commit that loses count must not answer anybody with somebody else's result
    const isComplete = results.length === batch.length;
    batch.forEach((waiting, index) =>
      settle(waiting, isComplete ? results[index]! : this.miscounted(results.length, batch.length)),
    );
  }

  private miscounted(results: number, items: number): Error {
    return new Error(`${this.options.name}: the commit gave ${results} results for ${items} items`);
  }
}

function settle<Item, Result>(waiting: Waiting<Item, Result>, result: Result | Error): void {
  if (result instanceof Error) waiting.reject(result);
  else waiting.resolve(result);
}

/** An item is no longer waited for: the batch runs again without it. */
class GivenUp extends Error {}

function isWanted({ isGone, until }: { isGone: IsGone; until: number }): boolean {
  return !isGone() && hostClock() < until;
}

function tooLate(name: string): CodedError {
  const detail = `The write waited too long for its turn (${name}); send the request again.`;
  return new CodedError('overloaded', detail, { retryAfterSeconds: 1 });
}

/**
 * An outage fails the batch as it stands: halving it would only ask a server that is not there again and again, and when the batch may
 * have been committed, its halves would be answered "duplicate" for writes that are in.
 */
function isOutage(error: unknown): boolean {
  return error instanceof CodedError ? error.status === 503 : isDatabaseOutage(error);
}
