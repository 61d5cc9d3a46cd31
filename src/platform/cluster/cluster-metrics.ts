import { register } from 'prom-client';
import { CodedError } from '../../common/errors.js';
import type { ClusterBus } from './bus.js';
import { HostMetrics } from './host-metrics.js';
import { sendToPrimary } from './ipc.js';

/** The topic on which every process sends its metrics to the primary. */
export const REPORT = 'metrics:report';
/** The topic on which the primary returns the metrics page. */
export const PAGE = 'metrics:page';
/** Longer than the primary's timeout for the slowest process, plus the delay of its event loop. */
const PAGE_TIMEOUT_MS = 5_000;

/** Returns the same page in every process of the host. */
export class ClusterMetrics {
  private pendingPage: Promise<string> | undefined;

  constructor(private readonly bus: ClusterBus) {
    bus.respondTo(REPORT, reportMetrics);
    // used only without a primary
    const alone = new HostMetrics(async () => {});
    bus.respondTo(PAGE, () => alone.page());
  }

  async collect(): Promise<string> {
    this.pendingPage ??= this.fetchPage().finally(() => (this.pendingPage = undefined));
    return this.pendingPage;
  }

  private async fetchPage(): Promise<string> {
    const { responses } = await this.bus.gather<string>(PAGE, null, PAGE_TIMEOUT_MS);
    const page = responses[0];
    if (page === undefined)
      throw new CodedError('overloaded', 'The primary process does not respond.', { retryAfterSeconds: 1 });
    return page;
  }
}

/** Resolves when the report has been sent. A process calls this last before it exits. */
export async function reportMetrics(): Promise<void> {
  const metrics = await register.getMetricsAsJSON();
  await new Promise<void>((resolve) => sendToPrimary({ type: 'metrics', metrics }, resolve));
}
