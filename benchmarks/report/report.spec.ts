import { type Report, type Result, ratiosBetween } from '../harness/results.js';
import { svgFile } from './chart.js';
import { renderHtml } from './html.js';
import { renderMarkdown } from './markdown.js';
import { COST_SUITES, peersChart } from './overview.js';
import { QUESTIONS } from './questions.js';
import { reportOf, result, suites } from './report.fixture.js';
import { STUDY_SUITE, studyTables } from './studies.js';
import { TARGET_SUITES } from './targets.js';

const rowOf = (markdown: string, start: string) => markdown.split('\n').find((line) => line.startsWith(start));

describe('the tables of the report', () => {
  it('have one row for every peer: the ratio, its quantity, and whether the target was met', () => {
    const markdown = renderMarkdown(reportOf('r1', ['feed-random-limit'], 90), suites);
    expect(rowOf(markdown, '| `feed-random-limit` |')).toBe(
      '| `feed-random-limit` | product ÷ express-optimised | 0.5 | 100 ÷ 200 | 1 | 0.47 | ≤ 0.2: **missed** |',
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

  it('compare latencies for reads beside other work', () => {
    const report = reportOf('r1', [], 0);
    const [storm, idle] = [4_000, 100].map((micros, at) => ({
      ...result('login-storm', `product@${['storm', 'idle'][at]}`, micros, null),
      ...{ revision: 'r1', date: 'today' },
    }));
    Object.assign(report, { results: [storm, idle], ratios: ratiosBetween(storm!, idle!) });
    expect(renderMarkdown(report, [{ ...suites[0]!, name: 'login-storm' }])).toContain(
      '| `login-storm` | product@storm ÷ product@idle | 40 | 40 ÷ 1 | p99 ≤ 25: **missed** |',
    );
  });

  it('contain every checked target', () => {
    const questions = QUESTIONS.flatMap((question) => question.suites);
    const shown = new Set([...questions, ...COST_SUITES, 'real-requests', STUDY_SUITE]);
    expect(TARGET_SUITES.filter((suite) => !shown.has(suite))).toEqual([]);
  });

  it('count wrong and missing responses, and show no spread for a missing CPU time', () => {
    const report = reportOf('r1', ['simulation'], 90);
    const counted = { cpuMicrosPerRequest: null, errors: 1, unexpected: 2 };
    report.results = report.results.map((each) => ({ ...each, ...counted }));
    expect(renderHtml(report, suites)).toMatch(/<tr><td>product<\/td><td>–<\/td><td>–<\/td>.*?<td>3<\/td><\/tr>/);
  });

  it('compare the slowest responses of an open loop', () => {
    const html = renderHtml(reportOf('r1', ['simulation'], 380, null), suites);
    expect(html).toContain('<td>1.95</td><td>390 ÷ 200</td><td>1</td><td>2</td><td>2</td>');
  });
});

describe('the tables of the case studies', () => {
  const subjects = [
    ...['express-naive@e-5-users', 'express-naive@e-30-users', 'product@e-5-users', 'product@e-30-users'],
    ...['product@c-kafka-100', 'product@d-2-processes-pool-20', 'product@c-beside-9000-kafka'],
  ];
  const report = reportOf('r1', [], 0);
  report.results = subjects.map((subject) => ({
    ...{ ...result(STUDY_SUITE, subject, 200), revision: 'r1', date: 'today' },
    ...(subject === 'express-naive@e-30-users' && { errors: 10, unexpected: 2 }),
  }));
  const pair = { suite: STUDY_SUITE, subject: 'product@e-30-users', against: 'product@e-1-users' };
  report.ratios = [{ ...pair, metric: 'errors', value: 1 }];

  it('show the figure of the study beside ours, and whether the target was met', () => {
    const lines = renderMarkdown(report, suites).split('\n');
    expect(lines.slice(lines.indexOf('### E, map tiles: from 1 to 30 users') + 4, -1)).toEqual([
      '| | mean | p99 | errors | requests/s | the study | targets |',
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
      '| Express, naive, users: 5 | 1 ms | 2 ms | 0 % | 25 | | |',
      '| Express, naive, users: 30 | 1 ms | 2 ms | 12 % | 25 | before: 25 s, 19.57 % errors | |',
      '| opencanvas-api, users: 5 | 1 ms | 2 ms | 0 % | 25 | | |',
      '| opencanvas-api, users: 30 | 1 ms | 2 ms | 0 % | 25 | after: 1 s, no errors | errors ≤ 0: **missed** |',
    ]);
  });

  it('exist only for measured subjects', () => {
    expect(studyTables(report).map(({ title }) => title.split(':')[0])).toEqual([
      ...['C, events', 'C, events', 'D, push messages', 'E, map tiles'],
    ]);
    expect(studyTables(report).flatMap(({ rows }) => rows)).toHaveLength(subjects.length);
    expect(renderMarkdown(reportOf('r1', ['feed-cold'], 90), suites)).not.toContain('case studies');
  });
});

describe('the first page of the report', () => {
  const pageOf = (report: Report): string => renderMarkdown(report, suites);

  it('compares each action of users with every peer', () => {
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
    const row = rowOf(pageOf(reportOf('r1', ['feed-cold'], 2_000)), '| any page of the feed, cold |');
    expect(row).toContain('| **missed**: ≤ 0.4 of express-optimised, ≤ 1300 µs |');
  });

  it('shows the forms of a request beside its plain form', () => {
    const forms: [string, number][] = [
      ['feed-plain', 40],
      ['feed-cookie', 44],
      ['post-plain', 40],
      ['post-cookie', 90],
      ['vote-plain', 40],
      ['vote-proxied', 75],
    ];
    const report = reportOf('r1', [], 0);
    const results = forms.map(([form, micros]) => result('real-requests', `product@${form}`, micros));
    report.results = results.map((each) => ({ ...each, revision: 'r1', date: 'today' }));
    const text = pageOf(report);
    expect(text).toContain('| a cookie | 1.08 | 2 | – | ≤ 1.4: **missed** by 1 of 2 |');
    expect(text).toContain('| a write through a proxy | 1.7 | – | – | – | – | ≤ 1.6: **missed** by 1 of 1 |');
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
      ['feed-cold', 'product ÷ express-optimised', '≤ 0.4', '0.55'],
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
