/** consecutive failures after which no request is sent */
const MAX_FAILURES = 3;
const PAUSE_MS = 2_000;

/** Stops requests to a server that fails. After a pause one request tries again, while others are still refused. */
export class CircuitBreaker {
  private failures = 0;
  private retryAt = -Infinity;

  /** Whether a request may be sent, which must then report its outcome. */
  admit(now = performance.now()): boolean {
    if (this.failures < MAX_FAILURES) return true;
    if (now < this.retryAt) return false;
    this.retryAt = now + PAUSE_MS;
    return true;
  }

  succeed(): void {
    this.failures = 0;
  }

  fail(now = performance.now()): void {
    this.failures++;
    this.retryAt = now + PAUSE_MS;
  }
}
