export type SemaphoreLimits = {
  /** maximum concurrent calls */
  running: number;
  /** maximum queued calls */
  waiting: number;
  waitMs: number;
};

/** Runs a limited number of calls at a time. The others wait in order, up to a limit of number and time. */
export class Semaphore {
  private running = 0;
  private readonly queue = new Set<() => void>();

  constructor(private readonly limits: SemaphoreLimits) {}

  get waiting(): number {
    return this.queue.size;
  }

  /** Returns false if the queue is full or the wait exceeds `waitMs`. An admitted caller must call `release`. */
  async acquire(waitMs = this.limits.waitMs): Promise<boolean> {
    const { running, waiting } = this.limits;
    if (this.running >= running) return this.queue.size < waiting && this.wait(waitMs);
    this.running++;
    return true;
  }

  /** Passes the slot to the next caller. */
  release(): void {
    const [next] = this.queue;
    if (next === undefined) this.running--;
    else next();
  }

  private wait(waitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isAdmitted: boolean): void => {
        clearTimeout(timer);
        this.queue.delete(next);
        resolve(isAdmitted);
      };
      const next = (): void => settle(true);
      const timer = setTimeout(settle, waitMs, false);
      this.queue.add(next);
    });
  }
}

/** Runs calls with the same key one after the other, in order. Keys do not wait for each other. */
export class KeyedMutex {
  private readonly byKey = new Map<string, { semaphore: Semaphore; calls: number }>();

  constructor(private readonly limits: Omit<SemaphoreLimits, 'running'>) {}

  /** The number of keys with a running or waiting call. */
  get size(): number {
    return this.byKey.size;
  }

  /** @throws the error of `overloadError` when the queue of the key is full, or the wait takes too long */
  async run<T>(key: string, fn: () => Promise<T>, overloadError: () => Error): Promise<T> {
    const entry = this.byKey.get(key) ?? { semaphore: new Semaphore({ running: 1, ...this.limits }), calls: 0 };
    this.byKey.set(key, entry);
    entry.calls++;
    try {
      if (!(await entry.semaphore.acquire())) throw overloadError();
      return await fn().finally(() => entry.semaphore.release());
    } finally {
      if (--entry.calls === 0) this.byKey.delete(key);
    }
  }
}
