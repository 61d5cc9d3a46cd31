/** Pings that may stay unanswered: the process counts as stuck after them. */
const MISSED_BEATS = 5;

/**
 * Pings a process. It counts missed pings, not time: after a pause of this process the others can reply first.
 */
export class Heartbeat {
  private unanswered = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly silenceTimeoutMs: number,
    private readonly options: { beat: () => void; onSilence: () => void },
  ) {}

  start(): void {
    this.timer ??= setInterval(() => this.ask(), this.silenceTimeoutMs / MISSED_BEATS).unref();
  }

  onPong(): void {
    this.unanswered = 0;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private ask(): void {
    if (this.unanswered >= MISSED_BEATS) {
      this.stop();
      this.options.onSilence();
      return;
    }
    this.unanswered++;
    this.options.beat();
  }
}

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
/** A process that ran this long resets its count of crashes. */
const STABLE_MS = 30_000;
/** This number of exits before ready within the window is a crash loop. */
export const LOOP_CRASHES = 5;
export const LOOP_WINDOW_MS = 30_000;

/** Decides when a process that exited unexpectedly is started again, and when restarts have become pointless. */
export class RestartPolicy {
  private failures = 0;
  private readonly earlyCrashes: number[] = [];

  /** @param livedMs from fork to exit */
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
