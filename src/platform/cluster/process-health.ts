/** A process that misses this number of pings is considered hung. */
const MAX_MISSED_PINGS = 5;

/** Pings a process. Counts missed pings, not time, so that a pause of this process does not count. */
export class Heartbeat {
  private missedPings = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly unresponsiveTimeoutMs: number,
    private readonly options: { beat: () => void; onUnresponsive: () => void },
  ) {}

  start(): void {
    this.timer ??= setInterval(() => this.ping(), this.unresponsiveTimeoutMs / MAX_MISSED_PINGS).unref();
  }

  onPong(): void {
    this.missedPings = 0;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private ping(): void {
    if (this.missedPings >= MAX_MISSED_PINGS) {
      this.stop();
      this.options.onUnresponsive();
      return;
    }
    this.missedPings++;
    this.options.beat();
  }
}

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
/** Running for this time resets the crash count of a process. */
const STABLE_MS = 30_000;
/** This number of crashes before ready, within the window, is a crash loop. */
export const LOOP_CRASHES = 5;
export const LOOP_WINDOW_MS = 30_000;

/** Decides when to restart a crashed process, and detects crash loops. */
export class RestartPolicy {
  private failures = 0;
  private readonly earlyCrashes: number[] = [];

  /** @param livedMs the time from fork to exit */
  crashed(wasReady: boolean, livedMs: number, now: number): { delayMs: number; isLoop: boolean } {
    if (wasReady && livedMs >= STABLE_MS) this.failures = 0;
    this.failures++;
    if (wasReady) this.earlyCrashes.length = 0;
    else this.earlyCrashes.push(now);
    while (this.earlyCrashes.length > 0 && now - this.earlyCrashes[0]! > LOOP_WINDOW_MS) this.earlyCrashes.shift();
    const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.failures - 1));
    return { delayMs, isLoop: this.earlyCrashes.length >= LOOP_CRASHES };
  }
}
