import { register } from 'prom-client';
import { CodedError } from '../../common/errors.js';
import type { ClusterBus } from './bus.js';
import { HostMetrics } from './host-metrics.js';
import { sendToPrimary } from './ipc.js';

/** Topic on which the primary requests the metrics of every process. */
export const METRICS_REPORT_TOPIC = 'metrics:report';
/** Topic on which a worker requests the metrics of the whole host. */
export const METRICS_PAGE_TOPIC = 'metrics:page';
/** Longer than the primary's timeout for the slowest process, plus the delay of its event loop. */
const PAGE_TIMEOUT_MS = 5_000;

/** Serves the metrics of the whole host from any worker. */
export class ClusterMetrics {
  private pendingPage: Promise<string> | undefined;

  constructor(private readonly bus: ClusterBus) {
    bus.respondTo(METRICS_REPORT_TOPIC, reportMetrics);
    // Used only without a primary.
    const standalone = new HostMetrics(async () => {});
    bus.respondTo(METRICS_PAGE_TOPIC, () => standalone.page());
  }

  async collect(): Promise<string> {
    this.pendingPage ??= this.fetchPage().finally(() => (this.pendingPage = undefined));
    return this.pendingPage;
  }

  private async fetchPage(): Promise<string> {
    const { responses } = await this.bus.gather<string>(METRICS_PAGE_TOPIC, null, PAGE_TIMEOUT_MS);
    const page = responses[0];
    if (page === undefined)
      throw new CodedError('overloaded', 'The primary process does not respond.', { retryAfterSeconds: 1 });
    return page;
  }
}

/** Sends the metrics of this process to the primary: on request, and once more right before the process exits. */
export async function reportMetrics(): Promise<void> {
  const metrics = await register.getMetricsAsJSON();
  await new Promise<void>((resolve) => sendToPrimary({ type: 'metrics', metrics }, resolve));
}
