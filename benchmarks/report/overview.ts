import { type Report, totalCpu } from '../harness/results.js';
import type { Chart, Row, Series } from './chart.js';
import { pairsOf } from './pairs.js';
import { describeVerdict, judgeCosts, judgeTargets } from './targets.js';

type Kind = { label: string; suite: string };

/** What people do, in their words, with the suite that measures it. */
const KINDS: Kind[] = [
  { label: 'first page of the feed, hot', suite: 'feed-hot' },
  { label: 'a post, hot', suite: 'post-hot' },
  { label: 'its comments, hot', suite: 'comments-hot' },
  { label: 'any page of the feed, cold', suite: 'feed-cold' },
  { label: 'any post, cold', suite: 'post-cold' },
  { label: 'any comments, cold', suite: 'comments-cold' },
  { label: 'vote, all on one post', suite: 'vote-hot' },
  { label: 'vote, on many posts', suite: 'vote-spread' },
  { label: 'save a post', suite: 'save' },
  { label: 'follow an account', suite: 'follow' },
  { label: 'write a comment', suite: 'comment-create' },
  { label: 'count a view', suite: 'event-view' },
];

const PRODUCT: Series = { name: 'opencanvas-api', mark: '●', kind: 0 };
const BARE: Series = { name: 'bare Node: ready bytes by node:http, or driver and JSON.stringify', mark: 'n', kind: 1 };
const OPTIMISED: Series = { name: 'Express, optimised', mark: 'o', kind: 2 };
const NAIVE: Series = { name: 'Express, as often written', mark: 'x', kind: 3 };

const SUBJECTS: [string, Series][] = [
  ['product', PRODUCT],
  ['node-http', BARE],
  ['raw-driver', BARE],
  ['express-optimised', OPTIMISED],
  ['express-naive', NAIVE],
];

const CPU = 'totalCpuMicrosPerRequest';

export function peersChart(report: Report): Chart {
  const rows = KINDS.flatMap(({ label, suite }): Row[] => {
    const marks = SUBJECTS.flatMap(([subject, series]) => {
      const value = microsOf(report, suite, subject);
      return value === null ? [] : [{ series, value }];
    });
    return marks.some(({ series }) => series === PRODUCT) ? [{ label, marks }] : [];
  });
  return {
    title: 'What a request costs',
    about:
      'CPU time of one request, server and database together, on a logarithmic scale; further left is cheaper. Of these, Express, optimised, caches the feed alone.',
    unit: 'µs',
    series: [PRODUCT, BARE, OPTIMISED, NAIVE],
    rows,
  };
}

const STEPS: [string, string][] = [
  ['express@1-naive', 'Express, as often written'],
  ['express@2-snapshot', '+ the author is copied into the post'],
  ['express@3-preview', '+ a preview in place of the body'],
  ['express@4-lean', '+ plain objects in place of documents'],
  ['express@5-keyset', '+ cursors in place of skip'],
  ['express@6-ttl-cache', '+ a cache of 30 seconds'],
  ['express@7-cluster', '+ a process for each core'],
  ['product', 'opencanvas-api'],
];

export function journeyChart(report: Report): Chart {
  const rows = STEPS.flatMap(([subject, label]): Row[] => {
    const value = microsOf(report, 'journey', subject);
    return value === null ? [] : [{ label, marks: [{ series: subject === 'product' ? PRODUCT : OPTIMISED, value }] }];
  });
  return {
    title: 'The journey',
    about:
      'The feed (four of five requests the first page, one a random page): each step keeps what the ones before it brought.',
    unit: 'µs',
    series: [PRODUCT, { ...OPTIMISED, name: 'Express' }],
    rows,
  };
}

const FORMS: [string, string][] = [
  ['encodings', "a browser's Accept-Encoding"],
  ['browser', "all of a browser's headers"],
  ['cookie', 'a cookie'],
  ['no-cache', 'a reload (no-cache)'],
  ['proxied', 'through a proxy'],
  ['signed-in', 'signed in'],
  ['proxied-signed-in', 'signed in, through a proxy'],
];
const PAGE: Series = { name: 'page of the feed', mark: 'f', kind: 0 };
const POST: Series = { name: 'post', mark: 'p', kind: 2 };
const COMMENTS: Series = { name: 'comments', mark: 'c', kind: 3 };
const WRITES: Series = { name: 'vote, save, follow, comment, event', mark: 'w', kind: 1 };

export function realRequestsChart(report: Report): Chart {
  const row = (label: string, pairs: [string, Series, string][]): Row => ({
    label,
    marks: pairs.flatMap(([what, series, form]) => {
      const value = ratioOf(report, REAL, `product@${what}-${form}`, `product@${what}-plain`);
      return value === null ? [] : [{ series, value }];
    }),
  });
  const hot = FORMS.map(([form, label]) =>
    row(`hot: ${label}`, [
      ['feed', PAGE, form],
      ['post', POST, form],
      ['comments', COMMENTS, form],
    ]),
  );
  const cold = row('cold: through a proxy', [
    ['cold-page', PAGE, 'proxied'],
    ['cold-post', POST, 'proxied'],
    ['cold-comments', COMMENTS, 'proxied'],
  ]);
  const writes = row(
    'writes: through a proxy',
    ['vote', 'save', 'follow', 'comment', 'event'].map((what): [string, Series, string] => [what, WRITES, 'proxied']),
  );
  return {
    title: 'Requests as clients send them',
    about: 'CPU time in relation to the plain form of the same request: at 1 the form costs nothing.',
    unit: '×',
    series: [PAGE, POST, COMMENTS, WRITES],
    rows: [...hot, cold, writes].filter(({ marks }) => marks.length > 0),
  };
}

export const WORDS_HEAD = [
  'a request of the product costs',
  'beside bare Node',
  'beside Express, optimised',
  'beside Express, as often written',
  'targets',
] as const;

/** The ratios of CPU time in words, one row for what people do. */
export function wordRows(report: Report): string[][] {
  return KINDS.flatMap(({ label, suite }) => {
    const cell = (...peers: string[]): string => {
      const ratio = peers.map((peer) => ratioOf(report, suite, 'product', peer)).find((value) => value !== null);
      return ratio == null ? '–' : inWords(ratio);
    };
    const row = [label, cell('node-http', 'raw-driver'), cell('express-optimised'), cell('express-naive')];
    return row.slice(1).every((text) => text === '–') ? [] : [[...row, verdictOf(report, suite)]];
  });
}

export const FORMS_HEAD = ['beside its plain form', 'page of the feed', 'a post', 'comments', 'targets'] as const;

/** What the form of a request costs, in words. */
export function formRows(report: Report): string[][] {
  const row = (label: string, subjects: string[]): string[][] => {
    const ratios = subjects.map((subject) => ratioOf(report, REAL, `product@${subject}`, plainOf(subject)));
    if (ratios.every((ratio) => ratio === null)) return [];
    const verdicts = subjects.flatMap((subject, at) => {
      const values = new Map(ratios[at] === null ? [] : [[CPU, ratios[at]!] as const]);
      return judgeTargets({ suite: REAL, subject: `product@${subject}`, against: plainOf(subject) }, values);
    });
    const missed = verdicts.filter(({ isMet }) => !isMet).length;
    const bound = verdicts[0]?.target ?? '';
    const verdict = missed === 0 ? `${bound}: met` : `${bound}: **missed** by ${missed} of ${verdicts.length}`;
    return [[label, ...ratios.map((ratio) => (ratio === null ? '–' : inWords(ratio))), verdict]];
  };
  return [
    ...FORMS.flatMap(([form, label]) => row(label, [`feed-${form}`, `post-${form}`, `comments-${form}`])),
    ...row('cold, through a proxy', ['cold-page-proxied', 'cold-post-proxied', 'cold-comments-proxied']),
  ];
}

const REAL = 'real-requests';
/** `feed-no-cache` and `cold-page-proxied` beside `feed-plain` and `cold-page-plain`. */
const plainOf = (subject: string): string => `product@${/^(?:cold-)?[a-z]+/.exec(subject)![0]}-plain`;

/** Of everything that the suite holds the product to; what was missed is named. */
function verdictOf(report: Report, suite: string): string {
  const peers = SUBJECTS.map(([subject]) => subject).slice(1);
  const ratios = peers.flatMap((peer) =>
    pairsOf(report)
      .filter((pair) => pair.suite === suite && pair.subject === 'product' && pair.against === peer)
      .flatMap((pair) => judgeTargets(pair, pair.values))
      .map((verdict) => ({ ...verdict, target: `${peer} ${verdict.target}` })),
  );
  const all = [...ratios, ...judgeCosts({ suite, subject: 'product' }, microsOf(report, suite, 'product'))];
  const missed = all.filter(({ isMet }) => !isMet);
  if (all.length === 0) return '';
  return missed.length === 0 ? 'met' : missed.map(describeVerdict).join('; ');
}

/** 0.12 is 8.3 times less, 1.09 is 9 % more. */
export function inWords(ratio: number): string {
  if (ratio < 0.67) return `${times(1 / Math.max(ratio, 1e-6))} times less`;
  if (Math.abs(ratio - 1) < 0.005) return 'the same';
  if (ratio < 1) return `${Math.round((1 - ratio) * 100)} % less`;
  return ratio < 1.5 ? `${Math.round((ratio - 1) * 100)} % more` : `${times(ratio)} times as much`;
}

const times = (factor: number): string => factor.toFixed(factor < 10 ? 1 : 0);

function microsOf(report: Report, suite: string, subject: string): number | null {
  const result = report.results.find((each) => each.suite === suite && each.subject === subject);
  return result ? totalCpu(result) : null;
}

function ratioOf(report: Report, suite: string, subject: string, against: string): number | null {
  const [above, below] = [microsOf(report, suite, subject), microsOf(report, suite, against)];
  return above === null || below === null || below <= 0 ? null : above / below;
}
