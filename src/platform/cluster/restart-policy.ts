export type RestartPolicyOptions = {
  firstDelayMs: number;
  maxDelayMs: number;
  /** a process that lived this long starts with a clean record */
  stableMs: number;
  /** this many ends before ready within the window are a loop */
  loopCrashes: number;
  loopWindowMs: number;
};

export const RESTART_POLICY: RestartPolicyOptions = {
  firstDelayMs: 100,
  maxDelayMs: 10_000,
  stableMs: 30_000,
  loopCrashes: 5,
  loopWindowMs: 30_000,
};

/** When to start a process again that ended without being told to, and when that has become pointless. */
export class RestartPolicy {
  private failures = 0;
  private readonly earlyCrashes: number[] = [];

  constructor(private readonly options: RestartPolicyOptions = RESTART_POLICY) {}

  /**
   * @param livedMs from fork to end
   * @param now milliseconds of any clock
   */
  crashed(wasReady: boolean, livedMs: number, now: number): { delayMs: number; isLoop: boolean } {
    const { firstDelayMs, maxDelayMs, stableMs, loopCrashes, loopWindowMs } = this.options;
    if (wasReady && livedMs >= stableMs) this.failures = 0;
    this.failures++;
    if (wasReady) this.earlyCrashes.length = 0;
    else this.earlyCrashes.push(now);
    while (this.earlyCrashes.length > 0 && now - this.earlyCrashes[0]! > loopWindowMs) this.earlyCrashes.shift();
    return {
      delayMs: Math.min(maxDelayMs, firstDelayMs * 2 ** (this.failures - 1)),
      isLoop: this.earlyCrashes.length >= loopCrashes,
    };
  }
}
