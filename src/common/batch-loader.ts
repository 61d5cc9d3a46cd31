export type BatchLoaderOptions<Value> = {
  /** One round trip for all keys. A key without a value is left out of the response. */
  read: (keys: string[]) => Promise<Map<string, Value>>;
  /** keys per round trip */
  maxBatch?: number;
};

type PendingRead<Value> = {
  promise: Promise<Value | undefined>;
  settle: (outcome: Promise<Value | undefined>) => void;
};

/** round trips under way at a time */
const MAX_IN_FLIGHT = 2;

/**
 * Calls that arrive during a read form the next batch: under load many callers share a round trip, and a single caller does not wait. A
 * key that several callers request is read once. Nothing is cached: every read begins after its call, so it sees all writes
 * acknowledged before.
 */
export class BatchLoader<Value> {
  private readonly pending = new Map<string, PendingRead<Value>>();
  private inFlight = 0;
  private isScheduled = false;

  constructor(private readonly options: BatchLoaderOptions<Value>) {}

  /** The value of a key, or undefined if there is none. @throws the error of `read`, for every key of that batch */
  get(key: string): Promise<Value | undefined> {
    const existing = this.pending.get(key);
    if (existing !== undefined) return existing.promise;
    let settle!: (outcome: Promise<Value | undefined>) => void;
    const promise = new Promise<Value | undefined>((resolve) => (settle = resolve));
    this.pending.set(key, { promise, settle });
    this.schedule();
    return promise;
  }

  private schedule(): void {
    if (this.isScheduled || this.inFlight >= MAX_IN_FLIGHT || this.pending.size === 0) return;
    this.isScheduled = true;
    // requests that were parsed in the same turn of the event loop go together
    setImmediate(() => {
      this.isScheduled = false;
      this.run();
      this.schedule();
    });
  }

  private run(): void {
    const batch = [...this.pending].slice(0, this.options.maxBatch ?? 100);
    for (const [key] of batch) this.pending.delete(key);
    this.inFlight++;
    const found = this.options.read(batch.map(([key]) => key)).finally(() => {
      this.inFlight--;
      this.schedule();
    });
    for (const [key, { settle }] of batch) settle(found.then((values) => values.get(key)));
  }
}
