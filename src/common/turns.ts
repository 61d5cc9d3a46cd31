export type TurnLimits = {
  /** at the same time */
  running: number;
  /** one more is refused */
  waiting: number;
  waitMs: number;
};

/** Lets so many run at a time; the others wait in the order of their calls, a bounded number of them for a bounded time. */
export class Turns {
  private running = 0;
  private readonly queue = new Set<() => void>();

  constructor(private readonly limits: TurnLimits) {}

  get waiting(): number {
    return this.queue.size;
  }

  /** False when it is refused. Who was let in calls `end`. */
  async begin(waitMs = this.limits.waitMs): Promise<boolean> {
    const { running, waiting } = this.limits;
    if (this.running >= running) return this.queue.size < waiting && this.wait(waitMs);
    this.running++;
    return true;
  }

  /** Hands the turn on. */
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
