import type { Ratio, Result } from '../harness/results.js';

/** What this project holds itself to; where a suite is not named here, it has no target. */
type RatioTarget = { kind: 'ratio'; suite: string; against: RegExp; metric: string; atMost?: number; atLeast?: number };
type CostTarget = { kind: 'cost'; suite: string; subject: string; atMostMicros: number };

const CPU = 'totalCpuMicrosPerRequest';

const atMost = (suites: string[], against: RegExp, bound: number, metric = CPU): RatioTarget[] =>
  suites.map((suite) => ({ kind: 'ratio', suite, against, metric, atMost: bound }));
const atLeast = (suites: string[], against: RegExp, bound: number, metric: string): RatioTarget[] =>
  suites.map((suite) => ({ kind: 'ratio', suite, against, metric, atLeast: bound }));

const BARE = /^node-http$/;
const OPTIMISED = /^express-optimised/;
const ITSELF = /^product/;

const VOTES = ['vote-hot', 'vote-spread', 'vote-hot-crowd', 'vote-spread-crowd'];

const RATIO_TARGETS: RatioTarget[] = [
  // a hot read costs what node:http costs; the rest is for the noise of a shared machine
  ...atMost(['feed-hot', 'post-hot', 'comments-hot'], BARE, 1.1),
  ...atMost(['feed-hot', 'post-hot', 'comments-hot'], OPTIMISED, 0.05),
  ...atMost(['feed-random-limit'], OPTIMISED, 0.1),
  ...atMost(['not-modified'], ITSELF, 0.7),
  ...atMost(['feed-cold'], /^raw-driver$/, 0.5),
  ...atMost(['feed-cold'], OPTIMISED, 0.25),
  ...atMost(['post-cold', 'comments-cold'], OPTIMISED, 0.33),
  // neither the place in the list, nor the size of the data, nor an account may be felt
  ...atMost(['feed-depth'], ITSELF, 1.2),
  ...atMost(['growth'], ITSELF, 1.3),
  ...atMost(['signed-in'], ITSELF, 1.5),
  ...atMost(VOTES, OPTIMISED, 0.07),
  ...atLeast(VOTES, OPTIMISED, 12, 'requestsPerSecond'),
  ...atMost(['save', 'follow', 'event-view', 'event-view-crowd'], OPTIMISED, 0.1),
  ...atMost(['comment-create'], OPTIMISED, 0.5),
  ...atLeast(['overload'], ITSELF, 0.8, 'goodput'),
  ...atMost(['overload'], ITSELF, 0, 'timeouts'),
  // a crowd at the door must not become memory
  ...atMost(['overload'], ITSELF, 1.5, 'memory'),
  ...atMost(['login-storm', 'score-job-readers'], ITSELF, 2, 'p99'),
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
