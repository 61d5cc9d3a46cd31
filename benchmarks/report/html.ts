import type { Report, Result } from '../harness/results.js';
import type { Suite } from '../suites/suite.js';
import { type Bar, barChart, escapeHtml } from './bar-chart.js';
import { describeStamp, environmentRows, headlineRatios, number, remarks, TABLE_HEAD, tableRow } from './format.js';

const STYLE = `
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 1000px; margin: 2rem auto; padding: 0 1rem; color: #1c2430; }
  table { border-collapse: collapse; font-size: 13px; margin: 0.6rem 0; }
  td, th { padding: 3px 9px; border-bottom: 1px solid #d8dee6; text-align: right; } td:first-child, th:first-child { text-align: left; }
  svg { max-width: 100%; height: auto; } svg text { font-size: 12px; fill: #1c2430; }
  .ours.part0 { fill: #0f7b6c; } .ours.part1 { fill: #7cc4b9; } .other.part0 { fill: #6b7a90; } .other.part1 { fill: #b9c3d1; }
  .failed { color: #b00020; font-weight: 600; } .note { color: #56606e; }
  @media (prefers-color-scheme: dark) { body { background: #14181d; color: #dfe5ec; } svg text { fill: #dfe5ec; } td, th { border-color: #333c47; } }
`;

/** One page that needs nothing else: no script, no font, no picture from anywhere. */
export function renderHtml(report: Report, suites: Suite[]): string {
  const sections = suites.flatMap((suite) => section(report, suite));
  const environment = environmentRows(report).map(
    ([name, value]) => `<tr><td>${name}</td><td style="text-align:left">${escapeHtml(value)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>opencanvas-api benchmarks</title><style>${STYLE}</style></head>
<body><h1>opencanvas-api benchmarks</h1>
<p>CPU time per request, server (dark) and mongod (light); shorter is better. Written by <code>npm run benchmark</code>.</p>
<table>${environment.join('')}</table>
${sections.join('\n')}
</body></html>
`;
}

function section(report: Report, suite: Suite): string[] {
  const results = report.results.filter((result) => result.suite === suite.name);
  const failures = report.failures.filter((failure) => failure.suite === suite.name);
  if (results.length + failures.length === 0) return [];
  const head = TABLE_HEAD.map((name) => `<th>${name}</th>`).join('');
  const rows = results.map(
    (result) =>
      `<tr>${tableRow(result)
        .map((cell) => `<td>${escapeHtml(cell)}</td>`)
        .join('')}</tr>`,
  );
  const ratios = headlineRatios(report.ratios.filter((ratio) => ratio.suite === suite.name)).map(
    (ratio) =>
      `<li>${escapeHtml(`${ratio.subject} ÷ ${ratio.against}, ${ratio.metric}`)}: <b>${number(ratio.value)}</b></li>`,
  );
  return [
    `<h2 id="${suite.name}">${escapeHtml(suite.title)}</h2><p>${escapeHtml([suite.question, describeStamp(report, results) ?? ''].join(' ').trim())}</p>`,
    chartOf(results),
    results.length > 0 ? `<table><tr>${head}</tr>${rows.join('')}</table>` : '',
    ...failures.map(
      (failure) =>
        `<p class="failed">FAILED ${escapeHtml(`${failure.subject}: ${failure.problem.split('\n')[0]}`)}</p>`,
    ),
    ...results.flatMap(remarks).map((remark) => `<p class="note">${escapeHtml(remark)}</p>`),
    ratios.length > 0 ? `<ul>${ratios.join('')}</ul>` : '',
  ];
}

function chartOf(results: Result[]): string {
  const measured = results.filter((result) => result.cpuMicrosPerRequest !== null);
  if (measured.length === 0) return '';
  const bars = measured.map((result): Bar => ({
    label: result.subject,
    parts: [result.cpuMicrosPerRequest!, result.mongodCpuMicrosPerRequest ?? 0],
    isOurs: result.subject.startsWith('product'),
  }));
  return barChart(bars, 'µs');
}
