import { register } from 'prom-client';
import { CodedError } from '../../common/errors.js';
import { within } from '../../common/within.js';
import { HostMetrics } from './host-metrics.js';
import { type BusLink, sendToPrimary } from './ipc.js';

/** Longer than the primary's timeout for the slowest process, plus the delay of its event loop. */
const PAGE_TIMEOUT_MS = 5_000;

/** Serves the metrics of the whole host from any worker. */
export class ClusterMetrics {
  /** the metrics of a process that runs alone */
  private readonly ownMetrics = new HostMetrics(() => []);
  private pendingPage: Promise<string> | undefined;
  private receivePage: (page: string) => void = () => {};

  constructor(private readonly link?: BusLink) {
    link?.receive((message) => {
      if (message.type === 'metricsPage') this.receivePage(message.page);
    });
  }

  async collect(): Promise<string> {
    if (this.link === undefined) return this.ownMetrics.page();
    this.pendingPage ??= this.fetchPage(this.link).finally(() => (this.pendingPage = undefined));
    return this.pendingPage;
  }

  private async fetchPage(link: BusLink): Promise<string> {
    const received = new Promise<string>((resolve) => (this.receivePage = resolve));
    link.send({ type: 'metricsPage' });
    const page = await within(PAGE_TIMEOUT_MS, received);
    if (page !== undefined) return page;
    throw new CodedError('overloaded', 'The primary process does not respond.', { retryAfterSeconds: 1 });
  }
}

/** Sends the metrics of this process to the primary: on request, and once more right before the process exits. */
export async function reportMetrics(): Promise<void> {
  const metrics = await register.getMetricsAsJSON();
  await new Promise<void>((resolve) => sendToPrimary({ type: 'metrics', metrics }, resolve));
}
