export type TurnLimits = {
  /** at the same time */
  running: number;
  /** one more is refused */
  waiting: number;
  waitMs: number;
};

/** Runs a limited number at a time; the others wait in the order of their calls, up to a limit of number and time. */
export class Turns {
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
