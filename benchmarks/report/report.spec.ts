import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../harness/environment.js';
import { type Report, type Result, ratiosBetween } from '../harness/results.js';
import type { Suite } from '../suites/suite.js';
import { svgFile } from './chart.js';
import { renderHtml } from './html.js';
import { renderMarkdown } from './markdown.js';
import { assertComparable, mergeReports, readReport } from './merge.js';
import { COST_SUITES, peersChart } from './overview.js';
import { QUESTIONS } from './questions.js';
import { TARGET_SUITES } from './targets.js';

const environment = (revision: string, changes: Partial<Environment> = {}): Environment => ({
  ...{ date: `date of ${revision}`, revision, hasLocalChanges: false, node: 'v20', mongod: '6.0.5', os: 'linux' },
  ...{ cpuModel: 'some', cores: 2, memoryGiB: 4, seconds: 2, runs: 2, target: null },
  dataset: { profile: 'full', seed: 1, counts: { posts: 100 } },
  ...changes,
});

const result = (suite: string, subject: string, micros: number, connections: number | null = 100): Result => ({
  ...{ suite, subject, connections, pipelining: 1, seconds: 4, runs: 2, requests: 100, requestsPerSecond: 25 },
  ...{ succeededPerSecond: 25, cpuMicrosPerRequest: micros, mongodCpuMicrosPerRequest: 10, generatorCpuShare: 0.1 },
  latencyMs: { mean: 1, p50: 1, p95: 2, p99: micros / 100, max: micros / 50 },
  ...{ errors: 0, timeouts: 0, non2xx: 0, bytesPerResponse: 10, rssMiB: 100 },
  spread: { requestsPerSecond: 0, cpuMicrosPerRequest: 0 },
});

/** A call in which the product cost `micros` and the peer 200 + 10 in each of the suites. */
function reportOf(revision: string, suites: string[], micros: number, connections: number | null = 100): Report {
  const pairs = suites.map((suite) => [
    result(suite, 'product', micros, connections),
    result(suite, 'express-optimised', 190, connections),
  ]);
  return {
    environment: environment(revision),
    results: pairs.flat().map((each) => ({ ...each, revision, date: `date of ${revision}` })),
    ratios: pairs.flatMap(([product, peer]) => ratiosBetween(product!, peer!)),
    failures: [],
  };
}

const suites = ['feed-cold', 'comments-cold', 'feed-random-limit', 'simulation', 'login'].map((name): Suite => ({
  ...{ name, title: `Title of ${name}`, question: 'What?' },
  run: () => Promise.resolve(),
}));
const rowOf = (markdown: string, start: string) => markdown.split('\n').find((line) => line.startsWith(start));

describe('the tables of the report', () => {
  it('have one row for every peer: the ratio, what it is of, and whether the target was met', () => {
    const markdown = renderMarkdown(reportOf('r1', ['feed-random-limit'], 90), suites);
    expect(rowOf(markdown, '| `feed-random-limit` |')).toBe(
      '| `feed-random-limit` | product ÷ express-optimised | 0.5 | 100 ÷ 200 | 1 | 0.47 | ≤ 0.1: **missed** |',
    );
  });

  it('name a suite once', () => {
    const report = reportOf('r1', ['feed-random-limit'], 90);
    report.ratios.push(...ratiosBetween(report.results[0]!, { ...report.results[1]!, subject: 'node-http' }));
    expect(renderMarkdown(report, suites)).toMatch(/^\| \| product ÷ node-http \|/m);
  });

  it('have a row for a pair with a target that the product is not the first of', () => {
    const report = reportOf('r1', [], 0);
    const pair = { suite: 'login', subject: 'second-factor-look-up', against: 'product', value: 0.05 };
    report.ratios = [{ ...pair, metric: 'totalCpuMicrosPerRequest' }];
    expect(rowOf(renderMarkdown(report, suites), '| `login` |')).toBe(
      '| `login` | second-factor-look-up ÷ product | 0.05 | – ÷ – | – | – | ≤ 0.1: met |',
    );
  });

  it('have every target that was judged', () => {
    const shown = new Set([...QUESTIONS.flatMap((question) => question.suites), ...COST_SUITES, 'real-requests']);
    expect(TARGET_SUITES.filter((suite) => !shown.has(suite))).toEqual([]);
  });

  it('count wrong responses beside those that never came, and give no spread of a CPU time that there is not', () => {
    const report = reportOf('r1', ['simulation'], 90);
    const counted = { cpuMicrosPerRequest: null, errors: 1, unexpected: 2 };
    report.results = report.results.map((each) => ({ ...each, ...counted }));
    expect(renderHtml(report, suites)).toMatch(/<tr><td>product<\/td><td>–<\/td><td>–<\/td>.*?<td>3<\/td><\/tr>/);
  });

  it('compare the slowest responses of an open loop, where every one was due', () => {
    const html = renderHtml(reportOf('r1', ['simulation'], 380, null), suites);
    expect(html).toContain('<td>1.95</td><td>390 ÷ 200</td><td>1</td><td>2</td><td>2</td>');
  });
});

describe('the first page of the report', () => {
  const pageOf = (report: Report): string => renderMarkdown(report, suites);

  it('shows what people do beside every peer', () => {
    const text = pageOf(reportOf('r1', ['feed-cold', 'comments-cold'], 20));
    expect(text).toContain('| any page of the feed, cold | 30 µs | – | 200 µs (0.15) | – | met |');
    expect(text).toContain('(images/benchmarks.svg)');
  });

  it('draws them on a logarithmic scale', () => {
    const svg = svgFile(peersChart(reportOf('r1', ['feed-cold', 'comments-cold'], 20)));
    expect([...svg.matchAll(/class="small">(\d+ µs)</g)].map(([, tick]) => tick)).toEqual(
      [20, 50, 100, 200, 500].map((tick) => `${tick} µs`),
    );
    expect(svg).toContain('<title>Express, optimised: 200 µs</title>');
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  });

  it('names the targets that were missed', () => {
    const row = rowOf(pageOf(reportOf('r1', ['feed-cold'], 1_000)), '| any page of the feed, cold |');
    expect(row).toContain('| **missed**: ≤ 0.25 of express-optimised, ≤ 900 µs |');
  });

  it('shows the forms of a request beside its plain form', () => {
    const forms: [string, number][] = [
      ['feed-plain', 40],
      ['feed-cookie', 44],
      ['post-plain', 40],
      ['post-cookie', 90],
      ['vote-plain', 40],
      ['vote-proxied', 50],
    ];
    const report = reportOf('r1', [], 0);
    const results = forms.map(([form, micros]) => result('real-requests', `product@${form}`, micros));
    report.results = results.map((each) => ({ ...each, revision: 'r1', date: 'today' }));
    const text = pageOf(report);
    expect(text).toContain('| a cookie | 1.08 | 2 | – | ≤ 1.15: **missed** by 1 of 2 |');
    expect(text).toContain('| a write through a proxy | 1.2 | – | – | – | – | ≤ 1.05: **missed** by 1 of 1 |');
  });

  it('judges p99, CPU and memory at the rates of the simulation', () => {
    const of = (phase: string, changes: Partial<Result>) => ({
      ...{ ...result('simulation', `product@${phase}`, 1_990), ...changes },
      ...{ revision: 'r1', date: 'today' },
    });
    const report = reportOf('r1', [], 0);
    report.results = [
      of('steady', { requestsPerSecond: 10 }),
      of('burst', { requestsPerSecond: 900, latencyMs: { mean: 9, p50: 9, p95: 40, p99: 60, max: 90 } }),
    ];
    const text = pageOf(report);
    expect(text).toContain('| 10 a second | 10 | 19.9 ms | 1 % | 2.44 % | met |');
    expect(text).toContain('| 500 a second | 900 | 60 ms | 90 % | 2.44 % | **missed**: p99 < 50 ms, CPU < 70 % |');
  });

  it('counts the targets, and lists in HTML every one that was missed', () => {
    const report = reportOf('r1', ['feed-cold'], 100);
    const lookUp = { suite: 'login', subject: 'second-factor-look-up', against: 'product', value: 0.3 };
    report.ratios.push({ ...lookUp, metric: 'totalCpuMicrosPerRequest' });
    const slow = { ...result('simulation', 'product@burst', 1_990), revision: 'r1', date: 'today' };
    report.results.push({ ...slow, latencyMs: { mean: 9, p50: 9, p95: 40, p99: 60, max: 90 } });
    expect(pageOf(report)).toContain('1 of 4 targets are met.');
    const html = renderHtml(report, suites).split('<details>')[0];
    expect(html).toContain('<p>Missed targets: 3 of 4.</p>');
    for (const row of [
      ['feed-cold', 'product ÷ express-optimised', '≤ 0.25', '0.55'],
      ['login', 'second-factor-look-up ÷ product', '≤ 0.1', '0.3'],
      ['simulation', 'product, 500 a second', 'p99 &lt; 50 ms', '60 ms, 2.5 %, 2.44 %'],
    ])
      expect(html).toContain(row.map((cell) => `<td>${cell}</td>`).join(''));
  });

  it('has the tables in HTML, too, with the suites folded', () => {
    const html = renderHtml(reportOf('r1', ['feed-cold'], 90), suites);
    expect(html.indexOf('What a request costs')).toBeLessThan(html.indexOf('<details>'));
    expect(html).toContain('<title>Express, optimised: 200 µs</title>');
    expect(html.indexOf('<details>')).toBeLessThan(html.indexOf('Title of feed-cold'));
  });
});

describe('merging', () => {
  const merged = mergeReports(
    reportOf('old', ['feed-cold', 'simulation'], 400),
    reportOf('new', ['feed-cold', 'comments-cold'], 90),
    ['feed-cold', 'comments-cold'],
  );

  it('replaces the suites that were run and keeps the others, ratios too', () => {
    const held = merged.results.map(({ suite, subject, revision }) => `${suite} ${subject} ${revision}`);
    expect(held.sort()).toEqual([
      'comments-cold express-optimised new',
      'comments-cold product new',
      'feed-cold express-optimised new',
      'feed-cold product new',
      'simulation express-optimised old',
      'simulation product old',
    ]);
    const cpu = merged.ratios.filter(({ metric }) => metric === 'totalCpuMicrosPerRequest');
    expect(cpu.map(({ suite, value }) => [suite, value]).sort()).toEqual([
      ['comments-cold', 0.5],
      ['feed-cold', 0.5],
      ['simulation', 2.05],
    ]);
  });

  it('removes the old figures of a suite that failed this time', () => {
    const failed: Report = {
      ...reportOf('new', [], 0),
      failures: [{ suite: 'feed-cold', subject: '*', problem: 'it broke' }],
    };
    const report = mergeReports(reportOf('old', ['feed-cold'], 400), failed, ['feed-cold']);
    expect(report.results).toEqual([]);
    expect(renderMarkdown(report, suites)).toContain('- **FAILED** feed-cold, *: it broke');
  });

  it('names all revisions in the Markdown, and that of each suite in HTML where they differ', () => {
    expect(renderMarkdown(merged, suites)).toContain('| Revision | old, new |');
    const html = renderHtml(merged, suites);
    expect(html).toContain('Measured at revision old, date of old, 2 runs of 2 s.');
    expect(html).toContain('Measured at revision new, date of new, 2 runs of 2 s.');
    const ofOneCall = reportOf('r1', ['feed-cold'], 90);
    expect(renderHtml(ofOneCall, suites)).not.toContain('Measured at');
    expect(renderMarkdown(ofOneCall, suites)).toContain('medians of 2 interleaved runs of 2 s');
  });

  it('says how long each suite was measured where calls of one revision measured for different times', () => {
    const calls = ['feed-cold', 'simulation'].map((suite, at) => {
      const report = reportOf('r1', [suite], 90);
      const date = `call ${at}`;
      const results = report.results.map((each) => ({ ...each, date, seconds: each.seconds * (at + 1) }));
      return { ...report, environment: { ...report.environment, date }, results };
    });
    const report = mergeReports(calls[0]!, calls[1]!, ['simulation']);
    const text = renderMarkdown(report, suites);
    expect(text).toContain('| Revision | r1 |');
    expect(text).toContain('medians of 2 interleaved runs of 2 to 4 s');
    expect(renderHtml(report, suites)).toContain('Measured at revision r1, call 1, 2 runs of 4 s.');
  });

  it('refuses to put figures of another dataset or machine into one table', () => {
    const other = { dataset: { profile: 'small', seed: 1, counts: {} }, cores: 8 };
    expect(() => assertComparable(environment('a'), environment('b', other), 'full.json')).toThrow(
      /the dataset was full, seed 1 and is small, seed 1; the processor was 2 × some and is 8 × some/,
    );
    expect(() => assertComparable(environment('a'), environment('b', { runs: 5 }), 'full.json')).not.toThrow();
  });

  it('begins without a file, and gives results of a file without stamps those of the file', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'opencanvas-report-'));
    try {
      const file = join(directory, 'report.json');
      expect(await readReport(file)).toBeNull();
      const bare = { ...reportOf('old', [], 0), results: [result('feed-cold', 'product', 90)] };
      await writeFile(file, JSON.stringify(bare));
      expect((await readReport(file))!.results).toMatchObject([{ revision: 'old', date: 'date of old' }]);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
