import { type Report, totalCpu } from '../harness/results.js';
import type { Suite } from '../suites/suite.js';
import { number } from './format.js';
import { judgeCosts, judgeTargets } from './targets.js';

export const SUMMARY_HEAD = [
  'suite',
  'product ÷ peer',
  'CPU node + mongod',
  'µs ÷ µs',
  'requests/s',
  'p99',
  'max',
  'other',
  'target',
] as const;

/** Shown in columns of their own, or part of one that is. */
const COLUMNS = new Set([
  'totalCpuMicrosPerRequest',
  'cpuMicrosPerRequest',
  'totalCpuMicros',
  'requestsPerSecond',
  'p99',
  'max',
]);

/** One row for every peer the product was compared with, in the order of the suites. */
export function summaryRows(report: Report, suites: readonly Suite[]): string[][] {
  return suites.flatMap(({ name }) => {
    const ratios = report.ratios.filter(({ suite, subject }) => suite === name && subject.startsWith('product'));
    const pairs = new Map(ratios.map((ratio) => [`${ratio.subject} ÷ ${ratio.against}`, ratio]));
    return [...pairs].map(([label, pair]) => {
      const values = new Map(
        ratios
          .filter(({ subject, against }) => subject === pair.subject && against === pair.against)
          .map(({ metric, value }) => [metric, value]),
      );
      const show = (...metrics: string[]): string => {
        const value = metrics.map((metric) => values.get(metric)).find((each) => each !== undefined);
        return value === undefined ? '–' : number(value);
      };
      const [above, below] = [pair.subject, pair.against].map((subject) => microsOf(report, name, subject));
      const others = [...values].filter(([metric]) => !COLUMNS.has(metric));
      const targets = [...judgeTargets(pair, values), ...judgeCosts(pair, above ?? null)];
      return [
        name,
        label,
        show('totalCpuMicrosPerRequest', 'totalCpuMicros'),
        [above, below].map((micros) => (micros == null ? '–' : number(micros))).join(' ÷ '),
        show('requestsPerSecond'),
        show('p99'),
        show('max'),
        others.map(([metric, value]) => `${metric} ${number(value)}`).join(', '),
        targets.join('; '),
      ];
    });
  });
}

function microsOf(report: Report, suite: string, subject: string): number | null {
  const result = report.results.find((each) => each.suite === suite && each.subject === subject);
  return result ? totalCpu(result) : null;
}
