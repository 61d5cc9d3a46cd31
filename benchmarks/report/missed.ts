import { type Report, totalCpu } from '../harness/results.js';
import { operationRows } from './operation.js';
import { pairsOf } from './pairs.js';
import { judgeCosts, judgeTargets } from './targets.js';

export const MISSED_HEAD = ['missed', 'product ÷ peer', 'target', 'figure'] as const;

export function countTargets(report: Report): { met: number; judged: number } {
  const { rows, judged } = missedTargets(report);
  return { met: judged - rows.length, judged };
}

/** Returns a row for each missed target, and the number of judged targets. */
export function missedTargets(report: Report): { rows: string[][]; judged: number } {
  const ratios = pairsOf(report).flatMap((pair) =>
    judgeTargets(pair, pair.values).map((verdict) => ({
      ...pair,
      ...verdict,
      of: `${pair.subject} ÷ ${pair.against}`,
    })),
  );
  const costs = report.results.flatMap((result) =>
    judgeCosts(result, totalCpu(result)).map((verdict) => ({ ...result, ...verdict, of: result.subject })),
  );
  const missed = [...ratios, ...costs].filter(({ isMet }) => !isMet);
  const operation = operationRows(report);
  return {
    rows: [
      ...missed.map(({ suite, of, target, figure }) => [suite, of, target, figure]),
      ...operation.flatMap(([rate, , p99, cpu, memory, verdict]) =>
        verdict === 'met'
          ? []
          : [['simulation', `product, ${rate}`, verdict!.replace('**missed**: ', ''), `${p99}, ${cpu}, ${memory}`]],
      ),
    ],
    judged: ratios.length + costs.length + operation.length,
  };
}
