import type { Ratio, Result } from '../harness/results.js';

/** What this project holds itself to; where a suite is not named here, it has no target. */
type RatioTarget = { kind: 'ratio'; suite: string; against: RegExp; metric: string; atMost?: number; atLeast?: number };
type CostTarget = { kind: 'cost'; suite: string; subject: string; atMostMicros: number };

const CPU = 'totalCpuMicrosPerRequest';

const RATIO_TARGETS: RatioTarget[] = [
  // a hot read costs what node:http costs; the rest is for the noise of a shared machine
  ...['feed-hot', 'feed-stress', 'feed-random-limit', 'post-hot', 'comments-hot'].map((suite): RatioTarget => ({
    kind: 'ratio',
    suite,
    against: /^node-http$/,
    metric: CPU,
    atMost: 1.2,
  })),
  { kind: 'ratio', suite: 'post-hot', against: /^express/, metric: CPU, atMost: 1 / 20 },
  { kind: 'ratio', suite: 'comments-hot', against: /^express/, metric: CPU, atMost: 1 / 10 },
  { kind: 'ratio', suite: 'comments-cold', against: /^express/, metric: CPU, atMost: 1 / 3 },
  // neither the place in the list nor the size of the data may be felt
  { kind: 'ratio', suite: 'feed-depth', against: /^product/, metric: CPU, atMost: 1.2 },
  { kind: 'ratio', suite: 'growth', against: /^product/, metric: CPU, atMost: 1.2 },
  { kind: 'ratio', suite: 'signed-in', against: /^product/, metric: CPU, atMost: 1.2 },
  { kind: 'ratio', suite: 'overload', against: /^product/, metric: 'goodput', atLeast: 0.8 },
];

const COST_TARGETS: CostTarget[] = [
  { kind: 'cost', suite: 'feed-cold', subject: 'product', atMostMicros: 800 },
  { kind: 'cost', suite: 'vote-hot', subject: 'product', atMostMicros: 700 },
  { kind: 'cost', suite: 'vote-spread', subject: 'product', atMostMicros: 700 },
];

/** The targets of one pair in words, each with whether it was met. `ratios` are those of the pair, by metric. */
export function judgeTargets(
  pair: Pick<Ratio, 'suite' | 'subject' | 'against'>,
  ratios: Map<string, number>,
): string[] {
  return RATIO_TARGETS.filter((target) => target.suite === pair.suite && target.against.test(pair.against)).flatMap(
    ({ metric, atMost = Infinity, atLeast = -Infinity }) => {
      const value = ratios.get(metric);
      if (value === undefined) return [];
      const bound = atMost === Infinity ? `≥ ${atLeast}` : `≤ ${Math.round(atMost * 1000) / 1000}`;
      return [verdict(metric === CPU ? bound : `${metric} ${bound}`, value <= atMost && value >= atLeast)];
    },
  );
}

export function judgeCosts(result: Pick<Result, 'suite' | 'subject'>, micros: number | null): string[] {
  if (micros === null) return [];
  return COST_TARGETS.filter(({ suite, subject }) => suite === result.suite && subject === result.subject).map(
    ({ atMostMicros }) => verdict(`≤ ${atMostMicros} µs`, micros <= atMostMicros),
  );
}

function verdict(what: string, isMet: boolean): string {
  return `${what}: ${isMet ? 'met' : '**missed**'}`;
}
