import type { Ratio, Report, Result } from '../harness/results.js';
import { studyTables } from './studies.js';

/** Returns one line for a finished result. */
export function describeResult(result: Result): string {
  const { latencyMs } = result;
  const columns = [
    `${result.suite}`.padEnd(18),
    result.subject.padEnd(28),
    `${result.requestsPerSecond.toFixed(0)}/s`.padStart(10),
    `${micros(result.cpuMicrosPerRequest)} cpu`.padStart(15),
    `${micros(result.mongodCpuMicrosPerRequest)} mongod`.padStart(18),
    `p50 ${latencyMs.p50} p99 ${latencyMs.p99} max ${latencyMs.max} ms`.padStart(40),
    `±${(result.spread.cpuMicrosPerRequest * 100).toFixed(0)} %`.padStart(7),
  ];
  const extra = Object.entries(result.extra ?? {}).map(([name, value]) => `${name} ${value}`);
  return [columns.join(' '), ...extra, ...(result.notes ?? []).map((note) => `(${note})`)].join('  ');
}

/** Metrics of the console. The reports have all metrics. */
const SHOWN = new Set(['totalCpuMicrosPerRequest', 'seconds', 'goodput', 'p99']);

export function describeRatios(ratios: Ratio[]): string[] {
  return ratios
    .filter((ratio) => SHOWN.has(ratio.metric))
    .map(
      (ratio) =>
        `${ratio.suite.padEnd(18)} ${ratio.subject} ÷ ${ratio.against}: ${ratio.value.toFixed(3)} (${ratio.metric})`,
    );
}

/** Returns the tables of the case studies as text with columns. */
export function describeStudies(report: Pick<Report, 'results' | 'ratios'>): string[] {
  return studyTables(report).flatMap(({ title, head, rows }) => {
    const lines = [head, ...rows];
    const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)));
    const line = (cells: string[]): string =>
      cells
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join('  ')
        .trimEnd();
    return ['', title, ...lines.map(line)];
  });
}

function micros(value: number | null): string {
  return value === null ? '–' : `${value.toFixed(0)} µs`;
}
