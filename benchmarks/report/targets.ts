import type { Ratio, Result } from '../harness/results.js';
import { number } from './format.js';

/** What this project holds itself to; where a suite is not named here, it has no target. */
type RatioTarget = {
  kind: 'ratio';
  suite: string;
  /** absent: any of the product */
  subject?: RegExp;
  against: RegExp;
  metric: string;
  atMost?: number;
  atLeast?: number;
};
type CostTarget = { kind: 'cost'; suite: string; subject: string; atMostMicros: number };

const CPU = 'totalCpuMicrosPerRequest';

const atMost = (suites: string[], against: RegExp, bound: number, metric = CPU): RatioTarget[] =>
  suites.map((suite) => ({ kind: 'ratio', suite, against, metric, atMost: bound }));
const atLeast = (suites: string[], against: RegExp, bound: number, metric: string): RatioTarget[] =>
  suites.map((suite) => ({ kind: 'ratio', suite, against, metric, atLeast: bound }));
const forms = (subject: RegExp, bound: number): RatioTarget[] =>
  atMost(['real-requests'], ITSELF, bound).map((target) => ({ ...target, subject }));

const BARE = /^node-http$/;
const OPTIMISED = /^express-optimised/;
const ITSELF = /^product/;
const ONE_HOST = /^product@one-host$/;

const WRITES = ['vote-hot', 'vote-spread', 'vote-hot-crowd', 'vote-spread-crowd', 'save', 'follow'];

const RATIO_TARGETS: RatioTarget[] = [
  // a hot read costs what node:http costs; the rest is for the noise of a shared machine
  ...atMost(['feed-hot', 'post-hot', 'comments-hot'], BARE, 1.15),
  // not of a post or its comments: this peer caches neither, so being far below it is no merit
  ...atMost(['feed-hot'], OPTIMISED, 0.05),
  ...atMost(['feed-random-limit'], OPTIMISED, 0.1),
  ...atMost(['not-modified'], ITSELF, 0.7),
  ...atMost(['feed-cold'], /^raw-driver$/, 0.55),
  ...atMost(['feed-cold'], OPTIMISED, 0.25),
  ...atMost(['post-cold', 'comments-cold'], OPTIMISED, 0.33),
  // the form of a request may not be felt; a signature is checked for those who are signed in
  ...forms(/^product@(feed|post|comments)-(encodings|browser|cookie|no-cache|proxied)$/, 1.15),
  ...forms(/^product@(feed|post|comments)-(proxied-)?signed-in$/, 2),
  ...forms(/^product@(cold-page|cold-post|cold-comments|vote|save|follow|comment|event)-proxied$/, 1.05),
  // neither the place in the list, nor the size of the data, nor an account, nor the number of workers may be felt
  ...atMost(['feed-depth'], ITSELF, 1.2),
  ...atMost(['growth'], ITSELF, 1.3),
  ...atMost(['signed-in'], ITSELF, 1.5),
  ...atMost(['vote-workers'], ITSELF, 1.4),
  // hosts on one database do not collide, and a second one is worth having
  ...atMost(['vote-hosts'], ONE_HOST, 1.25),
  ...atMost(['vote-hosts'], ONE_HOST, 0.02, 'abortedShare'),
  ...atLeast(['vote-hosts'], ONE_HOST, 1.3, 'requestsPerSecond'),
  ...atMost(WRITES, OPTIMISED, 0.1),
  ...atLeast(WRITES, OPTIMISED, 6, 'requestsPerSecond'),
  ...atMost(['event-view', 'event-view-crowd'], OPTIMISED, 0.2),
  ...atMost(['comment-create'], OPTIMISED, 0.5),
  ...atLeast(['overload'], ITSELF, 0.8, 'goodput'),
  ...atMost(['overload'], ITSELF, 0, 'timeouts'),
  // 500 connections that wait must not become memory
  ...atMost(['overload'], ITSELF, 1.5, 'memory'),
  // what accounts may have is no burden to those that have it not
  ...atMost(['login'], ITSELF, 0.1),
  ...atMost(['login-storm', 'score-job-readers', 'uploads'], ITSELF, 2, 'p99'),
  ...atMost(['search-storm'], ITSELF, 1.5, 'p99'),
  // a text that is kept for good may cost more than a vote, the HTML of a post not more than the post
  ...atMost(['autosave'], ITSELF, 1.5),
  ...atMost(['html-hot'], ITSELF, 1.15),
];

const COST_TARGETS: CostTarget[] = [{ kind: 'cost', suite: 'feed-cold', subject: 'product', atMostMicros: 900 }];

export const TARGET_SUITES = [...new Set([...RATIO_TARGETS, ...COST_TARGETS].map(({ suite }) => suite))];

/** A target and its measured figure, as text. */
export type Verdict = { target: string; figure: string; isMet: boolean };

/** The targets of one pair. `ratios` are those of the pair, by metric. */
export function judgeTargets(
  pair: Pick<Ratio, 'suite' | 'subject' | 'against'>,
  ratios: Map<string, number>,
): Verdict[] {
  return RATIO_TARGETS.filter(
    ({ suite, subject, against }) =>
      suite === pair.suite && (subject?.test(pair.subject) ?? true) && against.test(pair.against),
  ).flatMap(({ metric, atMost = Infinity, atLeast = -Infinity }) => {
    const value = ratios.get(metric);
    if (value === undefined) return [];
    const bound = atMost === Infinity ? `≥ ${atLeast}` : `≤ ${Math.round(atMost * 1000) / 1000}`;
    const target = metric === CPU ? bound : `${metric} ${bound}`;
    return [{ target, figure: number(value), isMet: value <= atMost && value >= atLeast }];
  });
}

export function judgeCosts(result: Pick<Result, 'suite' | 'subject'>, micros: number | null): Verdict[] {
  if (micros === null) return [];
  return COST_TARGETS.filter(({ suite, subject }) => suite === result.suite && subject === result.subject).map(
    ({ atMostMicros }) => ({
      target: `≤ ${atMostMicros} µs`,
      figure: `${number(micros)} µs`,
      isMet: micros <= atMostMicros,
    }),
  );
}

export function describeVerdict({ target, isMet }: Verdict): string {
  return `${target}: ${isMet ? 'met' : '**missed**'}`;
}
