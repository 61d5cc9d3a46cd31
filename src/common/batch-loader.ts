export type BatchLoaderOptions<Value> = {
  /** Reads all keys in one round trip. Omits keys without a value. */
  read: (keys: string[]) => Promise<Map<string, Value>>;
  /** keys per round trip */
  maxBatch?: number;
};

type PendingRead<Value> = {
  promise: Promise<Value | undefined>;
  settle: (outcome: Promise<Value | undefined>) => void;
};

/** maximum concurrent round trips */
const MAX_IN_FLIGHT = 2;

/**
 * Combines calls that arrive during a read into the next batch, and reads equal keys once. A single caller does not wait.
 * Does not cache: every read begins after its call, so the read sees all writes acknowledged before.
 */
export class BatchLoader<Value> {
  private readonly pending = new Map<string, PendingRead<Value>>();
  private inFlight = 0;
  private isScheduled = false;

  constructor(private readonly options: BatchLoaderOptions<Value>) {}

  /** Returns the value of a key, or undefined if there is none. @throws the error of `read`, for every key of that batch */
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
    // Batches requests that Node has parsed in the same event loop iteration.
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
