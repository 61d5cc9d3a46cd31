import { type Report, totalCpu } from '../harness/results.js';
import type { Suite } from '../suites/suite.js';
import { number } from './format.js';
import { pairsOf } from './pairs.js';
import { describeVerdict, judgeCosts, judgeTargets } from './targets.js';

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

/** Metrics with their own column, or part of such a metric. */
const COLUMNS = new Set([
  'totalCpuMicrosPerRequest',
  'cpuMicrosPerRequest',
  'totalCpuMicros',
  'requestsPerSecond',
  'p99',
  'max',
]);

/** Returns a row for every compared peer and for every pair with a target, in the order of the suites. */
export function summaryRows(report: Report, suites: readonly Suite[]): string[][] {
  const pairs = pairsOf(report);
  return suites.flatMap(({ name }) =>
    pairs.flatMap((pair) => {
      const { suite, subject, against, values } = pair;
      const ofRatios = judgeTargets(pair, values);
      if (suite !== name || !(subject.startsWith('product') || ofRatios.length > 0)) return [];
      const show = (...metrics: string[]): string => {
        const value = metrics.map((metric) => values.get(metric)).find((each) => each !== undefined);
        return value === undefined ? '–' : number(value);
      };
      const [above, below] = [subject, against].map((each) => microsOf(report, name, each));
      const others = [...values].filter(([metric]) => !COLUMNS.has(metric));
      const verdicts = [...ofRatios, ...judgeCosts(pair, above ?? null)];
      return [
        [
          name,
          `${subject} ÷ ${against}`,
          show('totalCpuMicrosPerRequest', 'totalCpuMicros'),
          [above, below].map((micros) => (micros == null ? '–' : number(micros))).join(' ÷ '),
          show('requestsPerSecond'),
          show('p99'),
          show('max'),
          others.map(([metric, value]) => `${metric} ${number(value)}`).join(', '),
          verdicts.map(describeVerdict).join('; '),
        ],
      ];
    }),
  );
}

function microsOf(report: Report, suite: string, subject: string): number | null {
  const result = report.results.find((each) => each.suite === suite && each.subject === subject);
  return result ? totalCpu(result) : null;
}
