import { setTimeout as sleep } from 'node:timers/promises';
import { metricsOf, panelExpressions } from '../support/dashboards.js';
import { describeWith } from '../support/optional.js';
import { Prometheus, type Series } from '../support/prometheus.js';
import { publish, useServer } from '../support/server.js';
import { until } from '../support/until.js';

const PATH = '/v1/feed?limit=3';
/** metrics of a real scrape, so that a killed process loses little of the whole */
const SCRAPES = 10;

describeWith('prometheus', 'a real Prometheus', (binary) => {
  const server = useServer({ processes: 2, jobs: true });
  const prometheus = new Prometheus(binary);
  const scrapes = async (): Promise<number> =>
    (await prometheus.query('up[1h]')).reduce(
      (count, { values }) => count + values.filter(([, up]) => up === '1').length,
      0,
    );
  const valueOf = async (expression: string): Promise<number | undefined> => {
    const [sample] = await prometheus.query<{ value: [number, string] }>(expression);
    return sample && Number(sample.value[1]);
  };
  const untilScrapes = async (more: number): Promise<void> => {
    const from = await scrapes();
    await until(async () => ((await scrapes()) >= from + more ? true : null));
  };

  beforeAll(async () => {
    await publish(server);
    await prometheus.start(await server.host.url());
    await untilScrapes(2);
  });
  afterAll(() => prometheus.remove());

  it('scrapes every metric of the dashboards, and evaluates every expression of them', async () => {
    const panels = await panelExpressions();
    const scraped = await prometheus.get<{ metric: string }[]>('targets/metadata');
    const names = new Set(scraped.map(({ metric }) => metric));

    const missing = panels.flatMap(({ expression }) => metricsOf(expression).filter((name) => !names.has(name)));
    expect([...new Set(missing)]).toEqual([]);
    for (const { panel, expression } of panels)
      await prometheus.query(expression).catch((error: unknown) => {
        throw new Error(`${panel}: ${String(error)}`);
      });
  });

  it('evaluates every rule, and no alert of a healthy server fires', async () => {
    type Rule = { name: string; health: string; state?: string };
    const rules = async (): Promise<Rule[]> =>
      (await prometheus.get<{ groups: { rules: Rule[] }[] }>('rules')).groups.flatMap((group) => group.rules);
    await until(async () => ((await rules()).every(({ health }) => health !== 'unknown') ? true : null));

    const all = await rules();

    expect(all.filter(({ health }) => health !== 'ok')).toEqual([]);
    expect(all.filter(({ state }) => state === 'firing')).toEqual([]);
  });

  it('sees no counter fall when a worker is killed under load, and counts what clients received', async () => {
    let [hits, isOver] = [0, false];
    const load = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const response = await fetch((await server.host.url()) + PATH).catch(() => undefined);
        if (response?.headers.get('x-cache') === 'HIT') hits++;
        await response?.text().catch(() => undefined);
        if (response === undefined) await sleep(20);
      }
    });

    await until(() => (server.host.readyWorkers('web').length === 2 ? true : null));
    await untilScrapes(SCRAPES);
    process.kill(server.host.readyWorkers('web')[0]!, 'SIGKILL');
    await until(async () => ((await valueOf('sum(opencanvas_restarts_total)')) === 1 ? true : null));
    await untilScrapes(SCRAPES);
    isOver = true;
    await Promise.all(load);
    const end = Date.now() / 1_000;
    // A page is at most a second old.
    await until(async () => (((await valueOf('opencanvas_metrics_timestamp_seconds')) ?? 0) > end ? true : null));

    const types = await prometheus.get<{ metric: string; type: string }[]>('targets/metadata');
    const counters = new Set(types.filter(({ type }) => type !== 'gauge').map(({ metric }) => metric));
    const series = (await prometheus.query('{job="opencanvas-api"}[1h]')).filter(
      ({ metric }) =>
        counters.has(metric['__name__']!.replace(/_(?:bucket|sum|count)$/, '')) || counters.has(metric['__name__']!),
    );
    const falls = ({ values }: Series): boolean =>
      values.some(([, value], at) => at > 0 && Number(value) < Number(values[at - 1]![1]));
    expect(series.length).toBeGreaterThan(100);
    expect(series.filter(falls).map(({ metric }) => metric)).toEqual([]);

    const counted = (await valueOf('sum(opencanvas_http_requests_total{way="cached"})'))!;
    console.log(`${hits} hits, ${counted} counted`);
    expect(counted).toBeGreaterThan(0.85 * hits);
    expect(counted).toBeLessThanOrEqual(1.15 * hits);
  });
});
