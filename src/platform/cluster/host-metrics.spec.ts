import { jest } from '@jest/globals';
import { Counter, register } from 'prom-client';
import { ClusterMetrics, reportMetrics } from './cluster-metrics.js';
import { HostMetrics } from './host-metrics.js';
import type { FromPrimary, HubMember, ProcessMetrics } from './ipc.js';

const counted = (value: number): ProcessMetrics =>
  [
    { name: 'things_total', help: 'things', type: 'counter', aggregator: 'sum', values: [{ value, labels: {} }] },
  ] as unknown as ProcessMetrics;

/** A process that reports `value`, or never when it has none. */
function processWith(metrics: () => HostMetrics, value?: number): HubMember {
  const member: HubMember = {
    send: ({ type }: FromPrimary) => {
      if (type === 'reportMetrics' && value !== undefined) metrics().report(member, counted(value));
    },
  };
  return member;
}

describe('HostMetrics', () => {
  afterEach(() => jest.restoreAllMocks());

  it('sums the reports of all processes, and keeps the counters of one that has exited', async () => {
    const processes: HubMember[] = [];
    const metrics = new HostMetrics(() => processes);
    processes.push(
      processWith(() => metrics, 2),
      processWith(() => metrics, 3),
    );
    expect(await metrics.page()).toContain('things_total 5');
    metrics.removeProcess(processes.pop()!);
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_001);
    expect(await metrics.page()).toContain('things_total 5');
  });

  it('has the same sum of fractions in every order, so that no counter falls when a process exits', async () => {
    const processes: HubMember[] = [];
    const metrics = new HostMetrics(() => processes);
    const sum = async (): Promise<string> => /^things_total (.+)$/m.exec(await metrics.page())![1]!;
    processes.push(...[0.1, 0.2, 0.3].map((value) => processWith(() => metrics, value)));
    const before = await sum();

    metrics.removeProcess(processes.shift()!);
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_001);

    expect(await sum()).toBe(before);
    expect(Number(before)).toBeCloseTo(0.6, 5);
  });

  it('does not wait for a process that exits before it reports', async () => {
    const silent = processWith(() => metrics);
    const metrics = new HostMetrics(() => [silent]);
    const page = metrics.page();
    metrics.removeProcess(silent);
    expect(await page).toBeDefined();
  });

  it('shows a process that is late with its last report', async () => {
    const late = processWith(() => metrics);
    const metrics = new HostMetrics(() => [late]);
    metrics.report(late, counted(7));
    expect(await metrics.page()).toContain('things_total 7');
  });
});

describe('ClusterMetrics', () => {
  it('has the metrics of this process when it runs alone', async () => {
    const counter = new Counter({ name: 'alone_total', help: 'once' });
    counter.inc();
    expect(await new ClusterMetrics().collect()).toContain('alone_total 1');
    register.removeSingleMetric('alone_total');
    // Without a primary, the report has no receiver.
    await reportMetrics();
  });

  it('asks the primary once for concurrent requests, and again after a page that came late', async () => {
    let receive: (message: FromPrimary) => void = () => {};
    let asked = 0;
    const metrics = new ClusterMetrics({ send: () => asked++, receive: (handler) => (receive = handler) });
    const pages = [metrics.collect(), metrics.collect()];
    receive({ type: 'metricsPage', page: 'all of the host' });
    expect([await Promise.all(pages), asked]).toEqual([['all of the host', 'all of the host'], 1]);
    await expect(metrics.collect()).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 });
    receive({ type: 'metricsPage', page: 'late' });
    const next = metrics.collect();
    receive({ type: 'metricsPage', page: 'new' });
    expect(await next).toBe('new');
  });
});
