import { type Report, totalCpu } from '../harness/results.js';
import { type Chart, type Row, type Series, withUnit } from './chart.js';
import { number } from './format.js';
import { pairsOf } from './pairs.js';
import { judgeCosts, judgeTargets } from './targets.js';

type Kind = { label: string; suite: string };

/** Actions of users, with the suite that measures each action. */
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

/** Suites of the first table. */
export const COST_SUITES = KINDS.map(({ suite }) => suite);

const PRODUCT: Series = { name: 'opencanvas-api', kind: 0 };
const BARE: Series = { name: 'bare Node', kind: 1 };
const OPTIMISED: Series = { name: 'Express, optimised', kind: 2 };
const NAIVE: Series = { name: 'Express, naive', kind: 3 };

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
      'CPU time of one request, server and database together, on a logarithmic scale. Bare Node writes ready bytes (hot), or reads with the driver and writes with JSON.stringify (cold). Express, optimised, caches the feed and nothing else.',
    unit: 'µs',
    series: [PRODUCT, BARE, OPTIMISED, NAIVE],
    rows,
  };
}

const STEPS: [string, string][] = [
  ['express@1-naive', 'Express, naive'],
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
      'The feed: four of five requests get the first page, one a random page. Each step includes the steps before it.',
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
const PAGE: Series = { name: 'page of the feed', kind: 0 };
const POST: Series = { name: 'post', kind: 2 };
const COMMENTS: Series = { name: 'comments', kind: 3 };
const WRITES: Series = { name: 'vote, save, follow, comment, event', kind: 1 };

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

export const COSTS_HEAD = [
  'request',
  'opencanvas-api',
  'bare Node',
  'Express, optimised',
  'Express, naive',
  'targets',
] as const;

/** Returns the cost of a request, with a row for each action of users. In brackets: the product ÷ the peer. */
export function costRows(report: Report): string[][] {
  return KINDS.flatMap(({ label, suite }) => {
    const own = microsOf(report, suite, 'product');
    if (own === null) return [];
    const cell = (...peers: string[]): string => {
      const peer = peers.find((name) => microsOf(report, suite, name) !== null);
      if (peer === undefined) return '–';
      const micros = microsOf(report, suite, peer)!;
      return `${withUnit(micros, 'µs')} (${number(own / micros)})`;
    };
    const peers = [cell('node-http', 'raw-driver'), cell('express-optimised'), cell('express-naive')];
    return [[label, withUnit(own, 'µs'), ...peers, verdictOf(report, suite)]];
  });
}

export const JOURNEY_HEAD = ['step', 'CPU of a request', '÷ the step before'] as const;

export function journeyRows(report: Report): string[][] {
  const steps = journeyChart(report).rows.map(({ label, marks }) => ({ label, micros: marks[0]!.value }));
  return steps.map(({ label, micros }, at) => {
    const before = steps[at - 1];
    return [label, withUnit(micros, 'µs'), before === undefined ? '–' : number(micros / before.micros)];
  });
}

export const FORMS_HEAD = ['form ÷ plain form', 'page of the feed', 'a post', 'comments', 'targets'] as const;
export const WRITE_FORMS_HEAD = ['form ÷ plain form', 'vote', 'save', 'follow', 'comment', 'view', 'targets'] as const;

/** Returns the cost of each form of a read. */
export function formRows(report: Report): string[][] {
  return [
    ...FORMS.flatMap(([form, label]) => formRow(report, label, [`feed-${form}`, `post-${form}`, `comments-${form}`])),
    ...formRow(report, 'cold, through a proxy', ['cold-page-proxied', 'cold-post-proxied', 'cold-comments-proxied']),
  ];
}

export function writeFormRows(report: Report): string[][] {
  return formRow(
    report,
    'a write through a proxy',
    ['vote', 'save', 'follow', 'comment', 'event'].map((write) => `${write}-proxied`),
  );
}

function formRow(report: Report, label: string, subjects: string[]): string[][] {
  const ratios = subjects.map((subject) => ratioOf(report, REAL, `product@${subject}`, plainOf(subject)));
  if (ratios.every((ratio) => ratio === null)) return [];
  const verdicts = subjects.flatMap((subject, at) => {
    const values = new Map(ratios[at] === null ? [] : [[CPU, ratios[at]!] as const]);
    return judgeTargets({ suite: REAL, subject: `product@${subject}`, against: plainOf(subject) }, values);
  });
  const missed = verdicts.filter(({ isMet }) => !isMet).length;
  const bound = verdicts[0]?.target ?? '';
  const verdict = missed === 0 ? `${bound}: met` : `${bound}: **missed** by ${missed} of ${verdicts.length}`;
  return [[label, ...ratios.map((ratio) => (ratio === null ? '–' : number(ratio))), verdict]];
}

const REAL = 'real-requests';
/** Finds `feed-plain` for `feed-no-cache`, and `cold-page-plain` for `cold-page-proxied`. */
const plainOf = (subject: string): string => `product@${/^(?:cold-)?[a-z]+/.exec(subject)![0]}-plain`;

/** Summarizes the targets of a suite and names each missed target. */
function verdictOf(report: Report, suite: string): string {
  const peers = SUBJECTS.map(([subject]) => subject).slice(1);
  const ratios = peers.flatMap((peer) =>
    pairsOf(report)
      .filter((pair) => pair.suite === suite && pair.subject === 'product' && pair.against === peer)
      .flatMap((pair) => judgeTargets(pair, pair.values))
      .map((verdict) => ({ ...verdict, target: `${verdict.target} of ${peer}` })),
  );
  const all = [...ratios, ...judgeCosts({ suite, subject: 'product' }, microsOf(report, suite, 'product'))];
  const missed = all.filter(({ isMet }) => !isMet);
  if (all.length === 0) return '';
  return missed.length === 0 ? 'met' : `**missed**: ${missed.map(({ target }) => target).join(', ')}`;
}

function microsOf(report: Report, suite: string, subject: string): number | null {
  const result = report.results.find((each) => each.suite === suite && each.subject === subject);
  return result ? totalCpu(result) : null;
}

function ratioOf(report: Report, suite: string, subject: string, against: string): number | null {
  const [above, below] = [microsOf(report, suite, subject), microsOf(report, suite, against)];
  return above === null || below === null || below <= 0 ? null : above / below;
}
