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
