import { setTimeout as sleep } from 'node:timers/promises';

/** Spreads work over time: after `rows` rows the next ones wait until the rate allows them. Idle time does not accumulate. */
export class Throttle {
  private freeAt = 0;

  constructor(private readonly rowsPerSecond: number) {}

  /** @throws the signal's reason when it aborts, before or while waiting */
  async wait(rows: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const now = performance.now();
    this.freeAt = Math.max(this.freeAt, now) + (rows * 1_000) / this.rowsPerSecond;
    const waitMs = this.freeAt - now;
    if (waitMs < 1) return;
    await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
