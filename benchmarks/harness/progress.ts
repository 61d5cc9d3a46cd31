import { clearLine, cursorTo } from 'node:readline';

/** Shows progress on standard error, as one updated line in a terminal and plain lines elsewhere. Results go to standard output. */
export class Progress {
  private readonly isTerminal = process.stderr.isTTY === true;
  private readonly startedAt = Date.now();
  private done = 0;
  private total = 0;

  expect(units: number): void {
    this.total += units;
  }

  /** Counts one timed run. */
  advance(): void {
    this.done++;
  }

  /** Shows a temporary state in a terminal only. */
  status(text: string): void {
    if (!this.isTerminal) return;
    const share = this.total > 0 ? `${this.done}/${this.total} ` : '';
    const seconds = Math.round((Date.now() - this.startedAt) / 1000);
    cursorTo(process.stderr, 0);
    process.stderr.write(`[${share}${seconds} s] ${text}`.slice(0, Math.max(20, (process.stderr.columns ?? 100) - 1)));
    clearLine(process.stderr, 1);
  }

  /** Prints a permanent line. */
  line(text: string): void {
    if (this.isTerminal) {
      cursorTo(process.stderr, 0);
      clearLine(process.stderr, 0);
    }
    process.stderr.write(`${text}\n`);
  }
}
