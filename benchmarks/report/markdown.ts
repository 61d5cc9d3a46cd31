import type { Report, Result } from '../harness/results.js';
import type { Suite } from '../suites/suite.js';
import { type Chart, textChart } from './chart.js';
import { describeStamp, environmentRows, headlineRatios, number, remarks, TABLE_HEAD, tableRow } from './format.js';
import { MISSED_HEAD, missedTargets } from './missed.js';
import { OPERATION_HEAD, operationRows } from './operation.js';
import { FORMS_HEAD, formRows, journeyChart, peersChart, realRequestsChart, WORDS_HEAD, wordRows } from './overview.js';
import { SUMMARY_HEAD, summaryRows } from './summary.js';

/** docs/benchmarks.md: one screen that says it all, and below it, folded, every ratio and every suite. */
export function renderMarkdown(report: Report, suites: Suite[]): string {
  const lines = [
    '# Benchmarks',
    '',
    'Written by `npm run benchmark`; do not edit. CPU time is what to compare: on a shared machine it moves far less than requests per second. [How it is measured](../benchmarks/README.md).',
    '',
    ...overview(report),
    ...folded('The machine, the data and the runs', table(['', ''], environmentRows(report))),
  ];
  const summary = summaryRows(report, suites);
  if (summary.length > 0) {
    const about =
      'The product ÷ each peer, from interleaved runs; below 1 the product is cheaper, quicker, or (requests/s) slower. A job has rows for requests.';
    lines.push(...folded('All ratios', [about, '', ...table([...SUMMARY_HEAD], summary)]));
  }
  for (const suite of suites) lines.push(...suiteSection(report, suite));
  return `${lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
}

function overview(report: Report): string[] {
  const [peers, journey, real] = [peersChart(report), journeyChart(report), realRequestsChart(report)];
  const words = wordRows(report);
  const forms = formRows(report);
  const operation = operationRows(report);
  const missed = missedTargets(report);
  return [
    ...chartSection(peers),
    ...(words.length > 0 ? [...table([...WORDS_HEAD], words), ''] : []),
    ...chartSection(real),
    ...(forms.length > 0 ? [...table([...FORMS_HEAD], forms), ''] : []),
    ...chartSection(journey),
    ...(operation.length > 0 ? [...table([...OPERATION_HEAD], operation), ''] : []),
    ...(missed.judged > 0 ? [`Missed targets: ${missed.rows.length} of ${missed.judged}.`, ''] : []),
    ...(missed.rows.length > 0 ? [...table([...MISSED_HEAD], missed.rows), ''] : []),
  ];
}

function chartSection(chart: Chart): string[] {
  if (chart.rows.length === 0) return [];
  return [`## ${chart.title}`, '', chart.about, '', '```text', ...textChart(chart), '```', ''];
}

function suiteSection(report: Report, suite: Suite): string[] {
  const results = report.results.filter((result) => result.suite === suite.name);
  const failures = report.failures.filter((failure) => failure.suite === suite.name);
  if (results.length + failures.length === 0) return [];
  const stamp = describeStamp(report, results);
  const ratios = headlineRatios(report.ratios.filter((each) => each.suite === suite.name));
  return folded(`${suite.title} (<code>${suite.name}</code>)`, [
    suite.question + loadOf(results),
    '',
    ...(stamp === null ? [] : [stamp, '']),
    ...(results.length > 0 ? [...table([...TABLE_HEAD], results.map(tableRow)), ''] : []),
    ...failures.map((failure) => `- **FAILED** ${failure.subject}: ${failure.problem.split('\n')[0]}`),
    ...results.flatMap(remarks).map((remark) => `- ${remark}`),
    ...ratios.map((ratio) => `- ${ratio.subject} ÷ ${ratio.against}, ${ratio.metric}: **${number(ratio.value)}**`),
  ]);
}

/** Of a suite with one load alone. */
function loadOf(results: Result[]): string {
  const loads = new Set(results.map(({ connections, pipelining }) => `${connections} × ${pipelining}`));
  const { connections, pipelining } = results[0] ?? { connections: null, pipelining: null };
  if (loads.size !== 1 || connections === null) return '';
  return ` ${connections} connections${(pipelining ?? 1) > 1 ? ` × ${pipelining} pipelined` : ''}.`;
}

function folded(summary: string, lines: string[]): string[] {
  return ['<details>', `<summary>${summary}</summary>`, '', ...lines, '', '</details>', ''];
}

function table(head: string[], rows: string[][]): string[] {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)];
}
