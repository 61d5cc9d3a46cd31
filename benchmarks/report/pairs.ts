import type { Ratio, Report } from '../harness/results.js';

export type Pair = Pick<Ratio, 'suite' | 'subject' | 'against'> & { values: Map<string, number> };

/** Returns all compared pairs, with the ratios of each pair by metric. */
export function pairsOf(report: Pick<Report, 'ratios'>): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const { suite, subject, against, metric, value } of report.ratios) {
    const key = `${suite} ${subject} ÷ ${against}`;
    const pair = pairs.get(key) ?? { suite, subject, against, values: new Map<string, number>() };
    pairs.set(key, pair);
    pair.values.set(metric, value);
  }
  return [...pairs.values()];
}
