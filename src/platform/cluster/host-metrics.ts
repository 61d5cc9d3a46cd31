import { AggregatorRegistry, register } from 'prom-client';
import { within } from '../../common/within.js';
import type { HubMember, ProcessMetrics } from './ipc.js';

/** Collecting reports costs CPU in every process of the host. */
const GATHER_EVERY_MS = 1_000;
/** A slower process counts with its last report. */
const REPORT_TIMEOUT_MS = 2_000;
/** of values: a power of two, and below a microsecond */
const PRECISION = 2 ** -20;

/** The objects contain `values`, which their type does not declare. */
type WithValues = ProcessMetrics[number] & { values: { value: number }[] };

/**
 * The Prometheus page of a host, at most a second old. Counters never decrease while the host runs: the last report counts for a process
 * that is late or has exited.
 */
export class HostMetrics {
  private readonly reports = new Map<HubMember, ProcessMetrics>();
  /** processes that have not responded to the latest request */
  private readonly missing = new Set<HubMember>();
  private onComplete: () => void = () => {};
  /** summed counters and histograms of all processes that have exited */
  private exitedTotals: ProcessMetrics = [];
  private last: { at: number; page: string } | undefined;
  private gathering: Promise<string> | undefined;

  /** @param processes the other processes of the host that can report */
  constructor(private readonly processes: () => readonly HubMember[]) {}

  report(process: HubMember, metrics: ProcessMetrics): void {
    this.reports.set(process, rounded(metrics));
    this.stopWaitingFor(process);
  }

  /** Removes the gauges of a process and retains its counters. Call this after the last report of the process. */
  removeProcess(process: HubMember): void {
    this.stopWaitingFor(process);
    const counted = this.reports.get(process)?.filter(({ type }) => String(type) !== 'gauge');
    if (counted === undefined) return;
    this.reports.delete(process);
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
    await this.requestReports();
    const own = rounded(await register.getMetricsAsJSON());
    const page = await AggregatorRegistry.aggregate([...this.reports.values(), own, this.exitedTotals]).metrics();
    this.last = { at: performance.now(), page };
    return page;
  }

  private async requestReports(): Promise<void> {
    for (const process of this.processes()) {
      this.missing.add(process);
      process.send({ type: 'reportMetrics' });
    }
    if (this.missing.size === 0) return;
    await within(REPORT_TIMEOUT_MS, new Promise<void>((resolve) => (this.onComplete = resolve)));
    this.missing.clear();
  }

  private stopWaitingFor(process: HubMember): void {
    if (this.missing.delete(process) && this.missing.size === 0) this.onComplete();
  }
}

/**
 * Rounds to multiples of PRECISION, whose sums are the same in every order. Otherwise the sum of a histogram could decrease by its last bit
 * when a process exits, and Prometheus would take that for a restart.
 */
function rounded(metrics: ProcessMetrics): ProcessMetrics {
  return (metrics as WithValues[]).map((metric) => ({
    ...metric,
    values: metric.values.map((each) => ({ ...each, value: Math.round(each.value / PRECISION) * PRECISION })),
  }));
}
