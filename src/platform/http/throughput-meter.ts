/** The minimum busy time of a measurement, because the first responses of a process may be slower. */
const WINDOW_MS = 250;
const FIRST_ANSWERS_MS = 1_000;
const SMOOTHING = 0.3;

/** Measures responses per second while the process is busy. When idle, it would measure the load instead of the capacity. */
export class ThroughputMeter {
  /** Infinity before the first measurement */
  perSecond = Infinity;
  private answered = 0;
  private peak = 0;
  private busy = { ms: 0, answered: 0 };

  /** @param busyAt the number of requests in flight at which the process counts as busy */
  constructor(private readonly busyAt: number) {}

  noteBegin(inFlight: number): void {
    this.peak = Math.max(this.peak, inFlight);
  }

  countResponse(): void {
    this.answered++;
  }

  sample(elapsedMs: number, inFlight: number): void {
    const { peak, answered, busy } = this;
    this.answered = 0;
    this.peak = inFlight;
    // uses the peak, because the writes of one commit respond together, which leaves few requests in flight
    if (peak < this.busyAt) return;
    busy.ms += elapsedMs;
    busy.answered += answered;
    const isFirst = !Number.isFinite(this.perSecond);
    if (busy.ms < (isFirst && busy.answered === 0 ? FIRST_ANSWERS_MS : WINDOW_MS)) return;
    const rate = (busy.answered * 1_000) / busy.ms;
    this.perSecond = isFirst ? rate : this.perSecond + (rate - this.perSecond) * SMOOTHING;
    this.busy = { ms: 0, answered: 0 };
  }
}
