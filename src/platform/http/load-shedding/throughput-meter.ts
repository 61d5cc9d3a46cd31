/** The minimum busy time of a measurement, because the first responses of a process may be slower. */
const WINDOW_MS = 250;
const FIRST_WINDOW_MS = 1_000;
const SMOOTHING = 0.3;

/** Measures responses per second while the process is busy. An idle process would yield the load instead of the capacity. */
export class ThroughputMeter {
  /** Infinity before the first measurement */
  perSecond = Infinity;
  private responses = 0;
  private peak = 0;
  private busy = { ms: 0, responses: 0 };

  /** @param busyAt the number of requests in flight at which the process counts as busy */
  constructor(private readonly busyAt: number) {}

  noteBegin(inFlight: number): void {
    this.peak = Math.max(this.peak, inFlight);
  }

  countResponse(): void {
    this.responses++;
  }

  sample(elapsedMs: number, inFlight: number): void {
    const { peak, responses, busy } = this;
    this.responses = 0;
    this.peak = inFlight;
    // Uses the peak, because the writes of one commit respond together and leave few requests in flight.
    if (peak < this.busyAt) return;
    busy.ms += elapsedMs;
    busy.responses += responses;
    const isFirst = !Number.isFinite(this.perSecond);
    if (busy.ms < (isFirst && busy.responses === 0 ? FIRST_WINDOW_MS : WINDOW_MS)) return;
    const rate = (busy.responses * 1_000) / busy.ms;
    this.perSecond = isFirst ? rate : this.perSecond + (rate - this.perSecond) * SMOOTHING;
    this.busy = { ms: 0, responses: 0 };
  }
}
