import type { Report } from '../harness/results.js';
import type { Suite } from '../suites/suite.js';
import { describeStamp, environmentRows, headlineRatios, number, remarks, TABLE_HEAD, tableRow } from './format.js';
import { SUMMARY_HEAD, summaryRows } from './summary.js';

/** docs/benchmarks.md: one section per suite, with its question, figures and ratios. */
export function renderMarkdown(report: Report, suites: Suite[]): string {
  const lines = [
    '# Benchmarks',
    '',
    'Written by `npm run benchmark`; do not edit. The figure to compare is the CPU time a request costs (server + mongod): on a shared machine it moves far less than requests per second. How it is measured: [benchmarks/README.md](../benchmarks/README.md). With charts: [benchmarks.html](benchmarks.html).',
    '',
    ...table(['', ''], environmentRows(report)),
    '',
  ];
  const summary = summaryRows(report, suites);
  if (summary.length > 0) {
    const about =
      'The product ÷ each peer, from interleaved runs; below 1 the product is cheaper, quicker, or (requests/s) slower. A job has rows for requests.';
    lines.push('## All ratios', '', about, '', ...table([...SUMMARY_HEAD], summary), '');
  }
  for (const suite of suites) {
    const results = report.results.filter((result) => result.suite === suite.name);
    const failures = report.failures.filter((failure) => failure.suite === suite.name);
    if (results.length + failures.length === 0) continue;
    const connections = results.find((result) => result.connections !== null);
    const load = connections
      ? ` ${connections.connections} connections${(connections.pipelining ?? 1) > 1 ? ` × ${connections.pipelining} pipelined` : ''} unless the subject says otherwise.`
      : '';
    lines.push(`## ${suite.title} (\`${suite.name}\`)`, '', suite.question + load, '');
    const stamp = describeStamp(report, results);
    if (stamp !== null) lines.push(stamp, '');
    if (results.length > 0) lines.push(...table([...TABLE_HEAD], results.map(tableRow)), '');
    for (const failure of failures) lines.push(`- **FAILED** ${failure.subject}: ${failure.problem.split('\n')[0]}`);
    for (const remark of results.flatMap(remarks)) lines.push(`- ${remark}`);
    for (const ratio of headlineRatios(report.ratios.filter((each) => each.suite === suite.name))) {
      lines.push(`- ${ratio.subject} ÷ ${ratio.against}, ${ratio.metric}: **${number(ratio.value)}**`);
    }
    lines.push('');
  }
  return lines.join('\n').replace(/\n{3,}/g, '\n\n');
}

function table(head: string[], rows: string[][]): string[] {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)];
}
