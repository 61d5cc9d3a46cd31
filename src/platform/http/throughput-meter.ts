/** The busy time over which the rate is measured, because the first responses of a process may be slower. */
const WINDOW_MS = 250;
const FIRST_ANSWERS_MS = 1_000;
const SMOOTHING = 0.3;

/** Responses per second of a busy process. An idle process would measure the load, not the capacity. */
export class ThroughputMeter {
  /** Infinity until the process was busy */
  perSecond = Infinity;
  private answered = 0;
  private peak = 0;
  private busy = { ms: 0, answered: 0 };

  /** @param busyAt the number of requests in flight from which a sample counts */
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
    // the peak of requests in flight: writes of one commit respond together, and for a moment hardly any is in flight
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
