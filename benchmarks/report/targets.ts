import type { Ratio, Result } from '../harness/results.js';
import { number } from './format.js';

/** Targets of this project. A suite without an entry has none. */
type RatioTarget = {
  kind: 'ratio';
  suite: string;
  /** Absent: any subject of the product. */
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
const only = (subject: RegExp, targets: RatioTarget[]): RatioTarget[] =>
  targets.map((target) => ({ ...target, subject }));
const forms = (subject: RegExp, bound: number): RatioTarget[] =>
  only(subject, atMost(['real-requests'], ITSELF, bound));

const BARE = /^node-http$/;
const OPTIMISED = /^express-optimised/;
const ITSELF = /^product/;
const V1 = /^product@v1$/;
const ONE_HOST = /^product@one-host$/;

const WRITES = ['vote-spread', 'save', 'follow'];

/** Figures of this design, with room for the noise of a shared machine. A missed target is a regression. */
const RATIO_TARGETS: RatioTarget[] = [
  // The listener writes stored bytes before the framework. Five idle processes use 55 to 90 ms of CPU a second.
  ...atMost(['feed-hot', 'post-hot', 'comments-hot'], BARE, 1.5),
  // The peer caches the feed as well, but pays for Express and its middleware.
  ...atMost(['feed-hot', 'feed-random-limit'], OPTIMISED, 0.2),
  // The same bytes come from the same cache in another form.
  ...atMost(['articles-hot'], V1, 1.1),
  // The batch of the votes decides a toggle. An interceptor wraps the response.
  ...atMost(['vote-toggled'], V1, 1.3),
  // The product compares a tag and writes no body.
  ...atMost(['not-modified'], ITSELF, 0.7),
  // Cards go from BSON to JSON bytes without objects. Concurrent pages share a round trip.
  ...atMost(['feed-cold'], /^raw-driver$/, 0.65),
  ...atMost(['feed-cold'], OPTIMISED, 0.4),
  // The server decompresses the text, which the peer stores in the post.
  ...atMost(['post-cold'], OPTIMISED, 0.5),
  // Comments are plain rows and JSON.stringify.
  ...atMost(['comments-cold'], OPTIMISED, 0.55),
  // Only headers are parsed. The signature of a token is verified once and cached.
  ...forms(/^product@(feed|post|comments)-(encodings|browser|cookie|no-cache|proxied)$/, 1.4),
  ...forms(/^product@(feed|post|comments)-(proxied-)?signed-in$/, 2),
  ...forms(/^product@(cold-page|cold-post|cold-comments|vote|save|follow|comment|event)-proxied$/, 1.6),
  // The pages use keyset cursors.
  ...atMost(['feed-depth'], ITSELF, 1.2),
  // Every query is an index range, and more data has deeper indexes.
  ...atMost(['growth'], ITSELF, 1.3),
  // A page of a home timeline is one range for any number of followed accounts. Older pages merge the posts of all of them.
  ...only(/^product@follows\d+$/, atMost(['feed-following'], ITSELF, 2)),
  // Hosts hash by post, so their transactions do not collide. nginx and a second process have their price.
  ...atMost(['vote-hosts'], ONE_HOST, 1.4),
  ...atMost(['vote-hosts'], ONE_HOST, 0.02, 'abortedShare'),
  // On one post the rows of a batch share one update. The peer shares none.
  ...atMost(['vote-hot'], OPTIMISED, 0.21),
  // Concurrent writes share one transaction.
  ...atMost(WRITES, OPTIMISED, 0.16),
  ...atLeast(WRITES, OPTIMISED, 5, 'requestsPerSecond'),
  // An event is a row and a counter in one transaction. The peer only counts.
  ...atMost(['event-view'], OPTIMISED, 0.4),
  ...atMost(['comment-create'], OPTIMISED, 0.5),
  // The server refuses requests beyond the limit before it parses them.
  ...atLeast(['overload'], ITSELF, 0.8, 'goodput'),
  ...atMost(['overload'], ITSELF, 0, 'timeouts'),
  // A waiting connection holds no request body and no response.
  ...atMost(['overload'], ITSELF, 1.6, 'memory'),
  // A lookup of a second factor is one indexed read beside a password hash.
  ...atMost(['login'], ITSELF, 0.1),
  // On two busy cores the scheduler delays a read by a time slice or two.
  ...atMost(['login-storm', 'uploads', 'search-storm'], ITSELF, 25, 'p99'),
  // Another thread parses texts, and the XML is read in chunks.
  ...atMost(['imports'], ITSELF, 1.5, 'p99'),
  // A save stores the previous text as well.
  ...atMost(['autosave'], ITSELF, 1.5),
  // Stored HTML is served like the post.
  ...atMost(['html-hot'], ITSELF, 1.25),
  // Go and SQLite in one process, without a response cache.
  ...atMost(['pocketbase'], /^pocketbase/, 0.5),
  // The figures of the case studies, as ratios where the machine decides.
  ...atMost(['case-studies'], ITSELF, 0, 'errors'),
  ...atMost(['case-studies'], /^in-loop@b-renders$/, 0.1, 'p99'),
  ...only(/^product@c-beside-9000/, atMost(['case-studies'], ITSELF, 25, 'p99')),
  ...only(/^product@c-size-longest$/, atMost(['case-studies'], ITSELF, 4, 'p99')),
  ...only(/^product@c-(http|kafka)-1000$/, atLeast(['case-studies'], ITSELF, 4, 'requestsPerSecond')),
  ...only(/^product@c-codec/, atMost(['case-studies'], /^gzip@c-codec/, 1)),
];

const COST_TARGETS: CostTarget[] = [{ kind: 'cost', suite: 'feed-cold', subject: 'product', atMostMicros: 1_300 }];

export const TARGET_SUITES = [...new Set([...RATIO_TARGETS, ...COST_TARGETS].map(({ suite }) => suite))];

/** A target and its measured figure, as text. */
export type Verdict = { target: string; figure: string; isMet: boolean };

/** Judges the targets of one pair. `ratios` are those of the pair, by metric. */
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
