import type { Report, Result } from '../harness/results.js';
import type { Suite } from '../suites/suite.js';
import { type Bar, barChart } from './bar-chart.js';
import { type Chart, escapeHtml, svgChart } from './chart.js';
import { describeStamp, environmentRows, headlineRatios, number, remarks, TABLE_HEAD, tableRow } from './format.js';
import { MISSED_HEAD, missedTargets } from './missed.js';
import { OPERATION_HEAD, operationRows } from './operation.js';
import { COSTS_HEAD, costRows, FORMS_HEAD, formRows, journeyChart, peersChart, realRequestsChart } from './overview.js';
import { SUMMARY_HEAD, summaryRows } from './summary.js';

const STYLE = `
  :root { --text: #1c2430; --soft: #56606e; --line: #d8dee6; --k0: #0f7b6c; --k1: #6b7a90; --k2: #d98324; --k3: #b3405a; --page: #fff; }
  @media (prefers-color-scheme: dark) { :root { --text: #dfe5ec; --soft: #9aa6b4; --line: #333c47; --k0: #37b8a5; --page: #14181d; } }
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 960px; margin: 2rem auto; padding: 0 1rem; color: var(--text); background: var(--page); }
  h1 { margin-bottom: 0.2rem; } h2 { font-size: 1.1rem; margin: 1.6rem 0 0.1rem; } p { margin: 0.2rem 0 0.5rem; }
  table { border-collapse: collapse; font-size: 13px; margin: 0.6rem 0; display: block; overflow-x: auto; }
  td, th { padding: 3px 9px; border-bottom: 1px solid var(--line); text-align: right; } td:first-child, th:first-child { text-align: left; }
  svg { max-width: 100%; height: auto; } svg text { font-size: 12.5px; fill: var(--text); } svg text.small { font-size: 11px; fill: var(--soft); }
  svg text.figure { font-weight: 600; fill: var(--k0); } .tick, .row { stroke: var(--line); } .row { stroke-dasharray: 1 3; }
  .kind0 { fill: var(--k0); } .kind1 { fill: var(--k1); } .kind2 { fill: var(--k2); } .kind3 { fill: var(--k3); }
  .legend { font-size: 13px; color: var(--soft); } .key { margin-right: 1.2rem; white-space: nowrap; } .key svg { vertical-align: middle; }
  .ours.part0 { fill: #0f7b6c; } .ours.part1 { fill: #7cc4b9; } .other.part0 { fill: #6b7a90; } .other.part1 { fill: #b9c3d1; }
  details { border-top: 1px solid var(--line); padding: 0.4rem 0; } summary { cursor: pointer; }
  .failed { color: #b00020; font-weight: 600; } .note { color: var(--soft); }
`;

/** Returns one self-contained page, without scripts, fonts and images of other files. */
export function renderHtml(report: Report, suites: Suite[]): string {
  const [peers, real, journey] = [peersChart(report), realRequestsChart(report), journeyChart(report)].map(
    chartSection,
  );
  const missed = missedTargets(report);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>opencanvas-api benchmarks</title><style>${STYLE}</style></head>
<body><h1>opencanvas-api benchmarks</h1>
<p class="note">Written by <code>npm run benchmark</code>. CPU time is what to compare: on a shared machine it moves far less than requests per second.</p>
${peers}
${table([...COSTS_HEAD], costRows(report))}
${real}
${table([...FORMS_HEAD], formRows(report))}
${journey}
${table([...OPERATION_HEAD], operationRows(report))}
${missed.judged > 0 ? `<p>Missed targets: ${missed.rows.length} of ${missed.judged}.</p>` : ''}
${table([...MISSED_HEAD], missed.rows)}
${folded('The machine, the data and the runs', table(['', ''], environmentRows(report)))}
${folded('All ratios', table([...SUMMARY_HEAD], summaryRows(report, suites)))}
${suites.map((suite) => section(report, suite)).join('\n')}
</body></html>
`;
}

function chartSection(chart: Chart): string {
  if (chart.rows.length === 0) return '';
  return `<h2>${escapeHtml(chart.title)}</h2><p class="note">${escapeHtml(chart.about)}</p>${svgChart(chart)}`;
}

function section(report: Report, suite: Suite): string {
  const results = report.results.filter((result) => result.suite === suite.name);
  const failures = report.failures.filter((failure) => failure.suite === suite.name);
  if (results.length + failures.length === 0) return '';
  const ratios = headlineRatios(report.ratios.filter((ratio) => ratio.suite === suite.name)).map(
    (ratio) =>
      `<li>${escapeHtml(`${ratio.subject} ÷ ${ratio.against}, ${ratio.metric}`)}: <b>${number(ratio.value)}</b></li>`,
  );
  const parts = [
    `<p>${escapeHtml([suite.question, describeStamp(report, results) ?? ''].join(' ').trim())}</p>`,
    barsOf(results),
    table([...TABLE_HEAD], results.map(tableRow)),
    ...failures.map(
      (failure) =>
        `<p class="failed">FAILED ${escapeHtml(`${failure.subject}: ${failure.problem.split('\n')[0]}`)}</p>`,
    ),
    ...results.flatMap(remarks).map((remark) => `<p class="note">${escapeHtml(remark)}</p>`),
    ratios.length > 0 ? `<ul>${ratios.join('')}</ul>` : '',
  ];
  return folded(`${escapeHtml(suite.title)} <code>${suite.name}</code>`, parts.join(''));
}

function folded(summary: string, content: string): string {
  return content === '' ? '' : `<details><summary>${summary}</summary>${content}</details>`;
}

/** Cells may contain the bold of Markdown. */
function table(head: string[], rows: string[][]): string {
  if (rows.length === 0) return '';
  const cell = (text: string): string => `<td>${escapeHtml(text).replace(/\*\*([^*]+)\*\*/g, '<b>$1</b>')}</td>`;
  const body = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`);
  return `<table><tr>${head.map((name) => `<th>${escapeHtml(name)}</th>`).join('')}</tr>${body.join('')}</table>`;
}

function barsOf(results: Result[]): string {
  const measured = results.filter((result) => result.cpuMicrosPerRequest !== null);
  if (measured.length === 0) return '';
  const bars = measured.map((result): Bar => ({
    label: result.subject,
    parts: [result.cpuMicrosPerRequest!, result.mongodCpuMicrosPerRequest ?? 0],
    isOurs: result.subject.startsWith('product'),
  }));
  return barChart(bars, 'µs');
}
