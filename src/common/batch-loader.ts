export type BatchLoaderOptions<Value> = {
  /** One round trip for all keys. A key without a value is left out of the answer. */
  read: (keys: string[]) => Promise<Map<string, Value>>;
  /** keys per round trip */
  maxBatch?: number;
  /** round trips under way at a time */
  maxInFlight?: number;
};

type PendingRead<Value> = {
  promise: Promise<Value | undefined>;
  settle: (outcome: Promise<Value | undefined>) => void;
};

/**
 * Reads by key that are asked for while others are under way form the next batch: under load many callers share a round trip, and
 * a single caller does not wait. A key that several callers ask for is read once. Nothing is kept: every read begins after it was
 * asked for, so it sees all that was acknowledged before.
 */
export class BatchLoader<Value> {
  private readonly pending = new Map<string, PendingRead<Value>>();
  private readonly maxBatch: number;
  private readonly maxInFlight: number;
  private inFlight = 0;
  private isScheduled = false;

  constructor(private readonly options: BatchLoaderOptions<Value>) {
    this.maxBatch = options.maxBatch ?? 100;
    this.maxInFlight = options.maxInFlight ?? 2;
  }

  /** The value of a key, or undefined where there is none. @throws whatever `read` throws, for every key of that batch */
  get(key: string): Promise<Value | undefined> {
    const asked = this.pending.get(key);
    if (asked !== undefined) return asked.promise;
    let settle!: (outcome: Promise<Value | undefined>) => void;
    const promise = new Promise<Value | undefined>((resolve) => (settle = resolve));
    this.pending.set(key, { promise, settle });
    this.schedule();
    return promise;
  }

  private schedule(): void {
    if (this.isScheduled || this.inFlight >= this.maxInFlight || this.pending.size === 0) return;
    this.isScheduled = true;
    // requests that were parsed in the same turn of the event loop go together
    setImmediate(() => {
      this.isScheduled = false;
      this.run();
      this.schedule();
    });
  }

  private run(): void {
    const batch = new Map<string, PendingRead<Value>>();
    for (const [key, asked] of this.pending) {
      if (batch.size >= this.maxBatch) break;
      batch.set(key, asked);
      this.pending.delete(key);
    }
    this.inFlight++;
    const found = this.options.read([...batch.keys()]).finally(() => {
      this.inFlight--;
      this.schedule();
    });
    for (const [key, asked] of batch) asked.settle(found.then((values) => values.get(key)));
  }
}
