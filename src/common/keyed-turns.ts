import { Turns, type TurnLimits } from './turns.js';

/** Runs calls with the same key one after the other, in order; keys do not wait for each other. */
export class KeyedTurns {
  private readonly byKey = new Map<string, { turns: Turns; calls: number }>();

  constructor(private readonly limits: Omit<TurnLimits, 'running'>) {}

  /** The number of keys with a running or waiting call. */
  get size(): number {
    return this.byKey.size;
  }

  /** @throws the error of `refusal` when the queue of the key is full, or the wait takes too long */
  async run<T>(key: string, fn: () => Promise<T>, refusal: () => Error): Promise<T> {
    const entry = this.byKey.get(key) ?? { turns: new Turns({ running: 1, ...this.limits }), calls: 0 };
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
