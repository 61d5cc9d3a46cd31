import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../harness/results.js';
import { renderHtml } from './html.js';
import { renderMarkdown } from './markdown.js';
import { assertComparable, mergeReports, readReport } from './merge.js';
import { environment, reportOf, result, suites } from './report.fixture.js';

describe('merging', () => {
  const merged = mergeReports(
    reportOf('old', ['feed-cold', 'simulation'], 400),
    reportOf('new', ['feed-cold', 'comments-cold'], 90),
    ['feed-cold', 'comments-cold'],
  );

  it('replaces the suites of the run and keeps the others, with their ratios', () => {
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

  it('names all revisions in the Markdown, and the revision of each suite in HTML if they differ', () => {
    expect(renderMarkdown(merged, suites)).toContain('| Revision | old, new |');
    const html = renderHtml(merged, suites);
    expect(html).toContain('Measured at revision old, date of old, 2 runs of 2 s.');
    expect(html).toContain('Measured at revision new, date of new, 2 runs of 2 s.');
    const ofOneCall = reportOf('r1', ['feed-cold'], 90);
    expect(renderHtml(ofOneCall, suites)).not.toContain('Measured at');
    expect(renderMarkdown(ofOneCall, suites)).toContain('medians of 2 interleaved runs of 2 s');
  });

  it('states the duration of each suite when calls of one revision measured for different times', () => {
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

  it('starts without a file, and stamps results without a stamp with that of their file', async () => {
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
