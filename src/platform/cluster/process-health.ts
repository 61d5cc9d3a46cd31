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

/** Usual starts take 3 s of CPU time. More than this is an endless loop. */
const MAX_START_CPU_MS = 120_000;
/** A start makes progress while it uses this much CPU time within its idle time. An idle process uses half of it. */
const PROGRESS_CPU_MS = 500;

/**
 * Decides when a start has failed. Measures CPU time and counts checks, because a machine with little CPU needs minutes for a start, and a
 * paused one needs hours.
 */
export class StartDeadline {
  private progressMs = 0;
  private checks = 0;
  private idleChecks = 0;

  /** @param maxIdleChecks a process without progress is killed after this number of checks */
  constructor(private readonly maxIdleChecks: number) {}

  /** Call once a second. @param cpuMs CPU time of the process so far @returns why the process must be killed */
  check(cpuMs: number): string | undefined {
    this.checks++;
    if (cpuMs >= MAX_START_CPU_MS) return `was not ready within ${MAX_START_CPU_MS / 1_000} s of CPU time`;
    if (cpuMs - this.progressMs >= PROGRESS_CPU_MS) {
      this.progressMs = cpuMs;
      this.idleChecks = 0;
    } else if (++this.idleChecks >= this.maxIdleChecks) {
      return `was not ready within ${this.checks} s (no progress for ${this.idleChecks} s)`;
    }
    return undefined;
  }
}

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
/** Running for this time resets the crash count of a process. */
const STABLE_MS = 30_000;
/** This number of consecutive crashes before ready is a crash loop, however long each start takes. */
export const LOOP_CRASHES = 5;

/** Decides when to restart a crashed process, and detects crash loops. */
export class RestartPolicy {
  private failures = 0;
  private earlyCrashes = 0;

  /**
   * @param livedMs the time from fork to exit
   * @param isRefusal the process explained why it cannot start, so it is not broken
   */
  crashed(wasReady: boolean, livedMs: number, isRefusal = false): { delayMs: number; isLoop: boolean } {
    if (wasReady && livedMs >= STABLE_MS) this.failures = 0;
    this.failures++;
    if (wasReady) this.earlyCrashes = 0;
    else if (!isRefusal) this.earlyCrashes++;
    const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.failures - 1));
    return { delayMs, isLoop: this.earlyCrashes >= LOOP_CRASHES };
  }
}
