import { afterNextPoll, ClientDisconnected, type IsDisconnected } from './client-disconnected.js';
import { isDatabaseOutage } from './database-outage.js';
import { CodedError } from './errors.js';
import { endWith, inSpan, type Span, tracing } from './tracing.js';

export type GroupCommitOptions<Item, Result> = {
  /** for messages and metrics */
  name: string;
  /** Commits the batch atomically, and returns one result per item, in order. An Error as a result rejects that item alone. */
  commit: (items: Item[]) => Promise<(Result | Error)[]>;
  /** maximum items per commit */
  maxBatch?: number;
};

const nothing = (): void => undefined;

/** maximum queued items; the group rejects further items with `overloaded` */
export const MAX_QUEUE = 10_000;
/** minimum number of expected callers for which a batch waits */
const GATHER_FROM = 8;
const MAX_GATHER_MS = 8;
/** Rejects an item that waits longer, because its client retries, and the first attempt must not follow the retry. */
export const MAX_WAIT_MS = 8_000;

const neverDisconnected: IsDisconnected = () => false;

export type SubmitOptions = {
  /** whether the client of the item has disconnected */
  isDisconnected?: IsDisconnected;
  /** milliseconds that the item has waited elsewhere */
  waitedMs?: number;
  /** of a sampled request */
  traceparent?: string | undefined;
};

type Waiting<Item, Result> = {
  item: Item;
  isDisconnected: IsDisconnected;
  deadline: number;
  traceparent: string | undefined;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
};

type Stats = { batches: number; items: number; refused: number; gone: number; split: number };

type CommitObserver = (commit: { group: string; items: number; ms: number }) => void;
let observeCommit: CommitObserver = nothing;

/** Calls the observer after each commit of any group of this process. */
export function observeCommits(observer: CommitObserver): void {
  observeCommit = observer;
}

const running = new Set<GroupCommit<unknown, unknown>>();
/** totals of closed groups, by name, because a process sends its last report after closing the groups, and of other processes' groups */
const closed = new Map<string, Stats>();

/** Every open group of this process, for the metrics. */
export function runningGroups(): Iterable<GroupCommit<unknown, unknown>> {
  return running;
}

/** The totals of all groups of this process by name, including closed groups. */
export function groupTotals(): Map<string, Stats> {
  const totals = new Map([...closed].map(([name, stats]) => [name, { ...stats }]));
  for (const { name, stats } of running) addTo(totals, name, stats);
  return totals;
}

/** Counts an item of another process's group whose client has disconnected before this process sent the item. */
export function countGone(name: string): void {
  addTo(closed, name, { batches: 0, items: 0, refused: 0, gone: 1, split: 0 });
}

function addTo(totals: Map<string, Stats>, name: string, stats: Stats): void {
  const total = totals.get(name);
  if (total === undefined) totals.set(name, { ...stats });
  else for (const what of Object.keys(stats) as (keyof Stats)[]) total[what] += stats[what];
}

/**
 * Combines calls that arrive during a commit into the next batch, which shares the fixed cost. A single caller does not wait.
 * A batch waits for as many callers as the last commit had, at most as long as that commit took. Batches of one instance never overlap,
 * so a batch sees all earlier ones. A failed batch is split in halves until the failing item is alone.
 */
export class GroupCommit<Item, Result> {
  private readonly queue: Waiting<Item, Result>[] = [];
  private readonly maxBatch: number;
  private draining: Promise<void> | null = null;
  private closed = false;
  /** callers: items of the last commit, and items queued at its end; ms: its duration */
  private last = { callers: 0, ms: 0 };
  private gathered: () => void = nothing;

  /** Tests raise it for a busy machine. */
  maxWaitMs = MAX_WAIT_MS;
  readonly stats: Stats = { batches: 0, items: 0, refused: 0, gone: 0, split: 0 };

  constructor(private readonly options: GroupCommitOptions<Item, Result>) {
    this.maxBatch = options.maxBatch ?? 500;
    running.add(this as GroupCommit<unknown, unknown>);
  }

  get name(): string {
    return this.options.name;
  }

  get queued(): number {
    return this.queue.length;
  }

  /**
   * @returns the item's own result, after the item is durable
   * @throws CodedError `overloaded` when the queue is full or the item has timed out, `shutting_down` after `close`
   * @throws ClientDisconnected when the client has disconnected before the item was written
   */
  submit(
    item: Item,
    { isDisconnected = neverDisconnected, waitedMs = 0, traceparent }: SubmitOptions = {},
  ): Promise<Result> {
    if (this.closed) {
      return Promise.reject(
        new CodedError('shutting_down', 'The server is restarting. Send the request again.', { retryAfterSeconds: 1 }),
      );
    }
    if (this.queue.length >= MAX_QUEUE) {
      this.stats.refused++;
      return Promise.reject(queueFull(this.options.name));
    }
    return new Promise<Result>((resolve, reject) => {
      this.queue.push({
        item,
        isDisconnected,
        deadline: performance.now() - waitedMs + this.maxWaitMs,
        traceparent,
        resolve,
        reject,
      });
      if (this.queue.length >= this.last.callers) this.gathered();
      this.draining ??= this.drain();
    });
  }

  /** Rejects new items, and resolves when every accepted item has its result. */
  async close(): Promise<void> {
    this.closed = true;
    this.gathered();
    await this.draining;
    if (running.delete(this as GroupCommit<unknown, unknown>)) addTo(closed, this.name, this.stats);
  }

  private async drain(): Promise<void> {
    // Requests that Node reads in the same poll join the first batch, and clients that have disconnected are known.
    await afterNextPoll();
    while (this.queue.length > 0) {
      await this.gather();
      await this.run(this.queue.splice(0, this.maxBatch));
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

  /** Returns the items whose client is connected and whose deadline has not passed. Rejects the others. */
  private selectWanted(items: Waiting<Item, Result>[]): Waiting<Item, Result>[] {
    const now = performance.now();
    return items.filter(({ isDisconnected, deadline, reject }) => {
      const hasLeft = isDisconnected();
      if (!hasLeft && now < deadline) return true;
      if (hasLeft) this.stats.gone++;
      reject(hasLeft ? new ClientDisconnected() : queueTimeout(this.options.name));
      return false;
    });
  }

  /** A span of the batch is part of the trace of its first item, and linked to those of the others. */
  private startSpan(batch: Waiting<Item, Result>[]): Span | undefined {
    const causes = batch.flatMap(({ traceparent, deadline }) => {
      if (traceparent === undefined) return [];
      tracing.tracer!.start(`queue ${this.name}`, [traceparent], { startedAt: deadline - this.maxWaitMs })?.end();
      return [traceparent];
    });
    if (causes.length === 0) return undefined;
    return tracing.tracer!.start(`commit ${this.name}`, causes, { attributes: { 'opencanvas.items': batch.length } });
  }

  private async run(accepted: Waiting<Item, Result>[]): Promise<void> {
    const batch = this.selectWanted(accepted);
    if (batch.length === 0) return;
    this.stats.batches++;
    this.stats.items += batch.length;
    const startedAt = performance.now();
    let results: (Result | Error)[];
    try {
      const span = tracing.tracer === undefined ? undefined : this.startSpan(batch);
      results = await endWith(
        span,
        inSpan(span, () => this.options.commit(batch.map(({ item }) => item))),
      );
    } catch (error) {
      if (batch.length === 1 || isOutage(error)) {
        for (const waiting of batch) waiting.reject(error);
        return;
      }
      this.stats.split++;
      const middle = batch.length >> 1;
      await this.run(batch.slice(0, middle));
      await this.run(batch.slice(middle));
      return;
    }
    const ms = performance.now() - startedAt;
    this.last = { callers: Math.min(batch.length + this.queue.length, this.maxBatch), ms };
    observeCommit({ group: this.name, items: batch.length, ms });
    // With a wrong number of results, a caller could get the result of another caller.
    const miscount =
      results.length !== batch.length &&
      new Error(`${this.options.name}: the commit gave ${results.length} results for ${batch.length} items`);
    batch.forEach((waiting, index) => {
      const result = miscount || results[index]!;
      if (result instanceof Error) waiting.reject(result);
      else waiting.resolve(result);
    });
  }
}

export function queueFull(name: string): CodedError {
  const detail = `Too many writes are waiting (${name}); send the request again in a moment.`;
  return new CodedError('overloaded', detail, { retryAfterSeconds: 1 });
}

export function queueTimeout(name: string): CodedError {
  const detail = `The write was not executed in time (${name}). Send the request again.`;
  return new CodedError('overloaded', detail, { retryAfterSeconds: 1 });
}

/**
 * Detects an outage, which fails the whole batch. Its halves would only query an unavailable server again, and would fail as duplicates
 * if the server has committed the batch after all.
 */
function isOutage(error: unknown): boolean {
  return error instanceof CodedError ? error.status === 503 : isDatabaseOutage(error);
}
