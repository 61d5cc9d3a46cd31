import type { Report } from '../harness/results.js';
import type { Suite } from '../suites/suite.js';
import { environmentRows, number } from './format.js';
import { countTargets } from './missed.js';
import { OPERATION_HEAD, operationRows } from './operation.js';
import {
  COSTS_HEAD,
  costRows,
  FORMS_HEAD,
  formRows,
  JOURNEY_HEAD,
  journeyChart,
  journeyRows,
  peersChart,
  WRITE_FORMS_HEAD,
  writeFormRows,
} from './overview.js';
import { QUESTIONS } from './questions.js';
import { studyTables } from './studies.js';
import { summaryRows } from './summary.js';

/** Writes docs/benchmarks.md, with a table for each question of a reader. The HTML and the JSON have every suite with all figures. */
export function renderMarkdown(report: Report, suites: Suite[]): string {
  const { met, judged } = countTargets(report);
  const peers = peersChart(report);
  const summary = summaryRows(report, suites);
  const lines = [
    '# Benchmarks',
    '',
    'Written by `npm run benchmark`; do not edit. Compare CPU time: on a shared machine it varies less than requests per',
    'second. [How it is measured](../benchmarks/README.md). `npm run benchmark -- --list` says what each suite measures,',
    'and `--out <directory>` writes every figure of every suite as HTML and JSON.',
    '',
    'Every ratio is product ÷ peer: below 1 the product is cheaper or faster; for requests/s, slower.',
    '',
    ...table(['', ''], environmentRows(report)),
    '',
    ...(judged > 0 ? [`${met} of ${judged} targets are met. The tables name those that are missed.`, ''] : []),
    ...(peers.rows.length > 0
      ? [
          `## ${peers.title}`,
          '',
          sentences(`${peers.about} The ratio is in brackets.`),
          '',
          `![${peers.title}](images/benchmarks.svg)`,
          '',
        ]
      : []),
    ...section(null, COSTS_HEAD, costRows(report)),
    ...section('Does the form of a request matter?', FORMS_HEAD, formRows(report)),
    ...section(null, WRITE_FORMS_HEAD, writeFormRows(report)),
    ...section('Is it at ease at a given rate?', OPERATION_HEAD, operationRows(report)),
    ...section('What does each technique bring?', JOURNEY_HEAD, journeyRows(report), journeyChart(report).about),
    ...QUESTIONS.flatMap(({ title, figure, suites: of }) => {
      const rows = summary.filter(([suite]) => of.includes(suite!));
      return figure === 'cpu'
        ? section(title, COST_RATIOS_HEAD, costRatioRows(rows))
        : section(title, LATENCY_RATIOS_HEAD, latencyRatioRows(rows, report));
    }),
    ...studySection(report),
    ...report.failures.map(
      ({ suite, subject, problem }) => `- **FAILED** ${suite}, ${subject}: ${firstWords(problem)}`,
    ),
  ];
  return `${lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
}

/** Returns the tables of the case studies, each with a heading of its own. */
function studySection(report: Report): string[] {
  const tables = studyTables(report);
  if (tables.length === 0) return [];
  return [
    '## The case studies',
    '',
    'Five published studies of Node servers, each on its own machine. The last but one column is the figure of the study.',
    '',
    ...tables.flatMap(({ title, about, head, rows }) => [
      ...[`### ${title}`, '', sentences(about), ''],
      ...table(head, rows),
      '',
    ]),
  ];
}

const COST_RATIOS_HEAD = ['suite', 'product ÷ peer', 'CPU', 'µs ÷ µs', 'requests/s', 'p99', 'targets'] as const;
const LATENCY_RATIOS_HEAD = ['suite', 'product ÷ peer', 'p99', 'ms ÷ ms', 'targets'] as const;

function costRatioRows(summary: string[][]): string[][] {
  return summary.map(([suite, pair, cpu, micros, rate, p99, , others, targets], at) => [
    ...[nameOnce(summary, at, suite!), pair!, cpu!, micros!, rate!, p99!],
    [others, targets].filter((text) => text !== '').join('; '),
  ]);
}

function latencyRatioRows(summary: string[][], report: Report): string[][] {
  return summary.map(([suite, pair, , , , p99, , others, targets], at) => {
    const latencies = pair!.split(' ÷ ').map((subject) => {
      const result = report.results.find((each) => each.suite === suite && each.subject === subject);
      return result === undefined ? '–' : number(result.latencyMs.p99);
    });
    return [
      ...[nameOnce(summary, at, suite!), pair!, p99!, latencies.join(' ÷ ')],
      [others, targets].filter((text) => text !== '').join('; '),
    ];
  });
}

const nameOnce = (rows: string[][], at: number, suite: string): string =>
  suite === rows[at - 1]?.[0] ? '' : `\`${suite}\``;

function section(title: string | null, head: readonly string[], rows: string[][], about = ''): string[] {
  if (rows.length === 0) return [];
  return [
    ...(title === null ? [] : [`## ${title}`, '']),
    ...(about === '' ? [] : [sentences(about), '']),
    ...table(head, rows),
    '',
  ];
}

/** Puts each sentence on its own line. */
const sentences = (text: string): string => text.replaceAll('. ', '.\n');

function table(head: readonly string[], rows: string[][]): string[] {
  const line = (cells: readonly string[]) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)];
}

/** Returns a part of the first line that fits into a line of the page. */
function firstWords(problem: string): string {
  return problem.split('\n')[0]!.slice(0, 80);
}
