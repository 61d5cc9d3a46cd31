import { register } from 'prom-client';
import { CodedError } from '../../common/errors.js';
import type { ClusterBus } from './bus.js';
import { HostMetrics } from './host-metrics.js';
import { sendToPrimary } from './ipc.js';

/** Every process reports to the primary. */
export const REPORT = 'metrics:report';
/** The primary's page. */
export const PAGE = 'metrics:page';
/** Longer than the primary waits for the slowest process, and for its own event loop. */
const PAGE_TIMEOUT_MS = 5_000;

/** Returns the same page in every process of the host. */
export class ClusterMetrics {
  private asking: Promise<string> | undefined;

  constructor(private readonly bus: ClusterBus) {
    bus.answer(REPORT, reportMetrics);
    // used only without a primary
    const alone = new HostMetrics(async () => {});
    bus.answer(PAGE, () => alone.page());
  }

  async collect(): Promise<string> {
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    return this.asking;
  }

  private async ask(): Promise<string> {
    const { answers } = await this.bus.gather<string>(PAGE, null, PAGE_TIMEOUT_MS);
    const page = answers[0];
    if (page === undefined)
      throw new CodedError('overloaded', 'The primary process does not respond.', { retryAfterSeconds: 1 });
    return page;
  }
}

/** Resolves when the report has been sent: the last action of a process that stops. */
export async function reportMetrics(): Promise<void> {
  const metrics = await register.getMetricsAsJSON();
  await new Promise<void>((resolve) => sendToPrimary({ type: 'metrics', metrics }, resolve));
}
