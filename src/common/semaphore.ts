export type TurnLimits = {
  /** at the same time */
  running: number;
  /** one more is refused */
  waiting: number;
  waitMs: number;
};

/** Runs a limited number at a time; the others wait in the order of their calls, up to a limit of number and time. */
export class Semaphore {
  private running = 0;
  private readonly queue = new Set<() => void>();

  constructor(private readonly limits: TurnLimits) {}

  get waiting(): number {
    return this.queue.size;
  }

  /** Returns false when the call is refused. An admitted caller must call `end`. */
  async begin(waitMs = this.limits.waitMs): Promise<boolean> {
    const { running, waiting } = this.limits;
    if (this.running >= running) return this.queue.size < waiting && this.wait(waitMs);
    this.running++;
    return true;
  }

  /** Passes the slot on to the next caller. */
  end(): void {
    const [next] = this.queue;
    if (next === undefined) this.running--;
    else next();
  }

  private wait(waitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isIn: boolean): void => {
        clearTimeout(timer);
        this.queue.delete(next);
        resolve(isIn);
      };
      const next = (): void => settle(true);
      const timer = setTimeout(settle, waitMs, false);
      this.queue.add(next);
    });
  }
}

/** Runs calls with the same key one after the other, in order; keys do not wait for each other. */
export class KeyedMutex {
  private readonly byKey = new Map<string, { turns: Semaphore; calls: number }>();

  constructor(private readonly limits: Omit<TurnLimits, 'running'>) {}

  /** The number of keys with a running or waiting call. */
  get size(): number {
    return this.byKey.size;
  }

  /** @throws the error of `refusal` when the queue of the key is full, or the wait takes too long */
  async run<T>(key: string, fn: () => Promise<T>, refusal: () => Error): Promise<T> {
    const entry = this.byKey.get(key) ?? { turns: new Semaphore({ running: 1, ...this.limits }), calls: 0 };
    this.byKey.set(key, entry);
    entry.calls++;
    try {
      if (!(await entry.turns.begin())) throw refusal();
      return await fn().finally(() => entry.turns.end());
    } finally {
      if (--entry.calls === 0) this.byKey.delete(key);
    }
  }
}
