import { AggregatorRegistry, register } from 'prom-client';

/** The metrics of one process. */
export type ProcessMetrics = Awaited<ReturnType<typeof register.getMetricsAsJSON>>;

/** Collecting reports costs CPU in every process of the host. */
const GATHER_EVERY_MS = 1_000;

/**
 * The Prometheus page of a host, at most a second old. Counters never decrease while the host runs: the last report counts for a process
 * that is late or has exited.
 */
export class HostMetrics {
  private readonly reports = new Map<object, ProcessMetrics>();
  /** summed counters and histograms of all processes that have exited */
  private exitedTotals: ProcessMetrics = [];
  private last: { at: number; page: string } | undefined;
  private gathering: Promise<string> | undefined;

  /** @param gather requests a report from every other process */
  constructor(private readonly gather: () => Promise<unknown>) {}

  report(process: object, metrics: ProcessMetrics): void {
    this.reports.set(process, metrics);
  }

  /** Removes the gauges of a process and retains its counters. Call this after the last report of the process. */
  removeProcess(process: object): void {
    const counted = this.reports.get(process)?.filter(({ type }) => String(type) !== 'gauge');
    if (counted === undefined) return;
    this.reports.delete(process);
    // The objects contain `values`, which their type does not declare.
    this.exitedTotals = AggregatorRegistry.aggregate([
      this.exitedTotals,
      counted,
    ]).getMetricsAsArray() as ProcessMetrics;
  }

  async page(): Promise<string> {
    if (this.last !== undefined && performance.now() - this.last.at < GATHER_EVERY_MS) return this.last.page;
    this.gathering ??= this.compute().finally(() => (this.gathering = undefined));
    return this.gathering;
  }

  private async compute(): Promise<string> {
    await this.gather();
    const own = await register.getMetricsAsJSON();
    const page = await AggregatorRegistry.aggregate([...this.reports.values(), own, this.exitedTotals]).metrics();
    this.last = { at: performance.now(), page };
    return page;
  }
}
