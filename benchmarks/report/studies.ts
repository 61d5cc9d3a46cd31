import { type Ratio, type Report, type Result, totalCpu } from '../harness/results.js';
import { withUnit } from './chart.js';
import { number } from './format.js';
import { pairsOf } from './pairs.js';
import { describeVerdict, judgeTargets } from './targets.js';

/** The suite of these tables. */
export const STUDY_SUITE = 'case-studies';

type Figure = [name: string, show: (result: Result) => string];
/** `$1` in the label is the first group of the subject. The claim is the figure of the study, on its machine. */
type StudyRow = [subject: RegExp, label: string, claim?: string];
type Study = { title: string; about: string; figures: Figure[]; rows: StudyRow[] };
type Table = { title: string; about: string; head: string[]; rows: string[][] };

const milliseconds = (name: 'mean' | 'p50' | 'p95' | 'p99' | 'max'): Figure => [
  name,
  ({ latencyMs }) => `${number(latencyMs[name])} ms`,
];
const RATE: Figure = ['requests/s', ({ requestsPerSecond }) => number(requestsPerSecond)];
const EVENTS: Figure = ['events/s', ({ succeededPerSecond }) => number(succeededPerSecond)];
const ERRORS: Figure = ['errors', ({ errors, unexpected = 0 }) => number(errors + unexpected)];
const ERROR_SHARE: Figure = [
  'errors',
  ({ errors, unexpected = 0, requests }) => `${number((100 * (errors + unexpected)) / Math.max(1, requests))} %`,
];
const CPU: Figure = [
  'CPU',
  (result) => {
    const micros = totalCpu(result);
    return micros === null ? '–' : withUnit(micros, 'µs');
  },
];

const STUDIES: Study[] = [
  {
    title: 'A, OpenCanvas: one process and a process per core',
    about:
      '500 connections with 10 requests in flight each ask for the first page for 10 seconds. An error is also a response after 10 seconds.',
    figures: [ERRORS, milliseconds('p50'), milliseconds('p99'), RATE],
    rows: [
      [/^express-optimised@a-1-processes$/, 'Express, optimised, 1 process', '1,000 time-outs'],
      [/^express-optimised@a-(\d+)-processes$/, 'Express, optimised, $1 processes', '70 time-outs'],
      [/^product@a-(\d+)-processes$/, 'opencanvas-api, web processes: $1'],
    ],
  },
  {
    title: 'B, payments: readers beside costly renders',
    about:
      'Cached reads at 250 a second, counted from the moment that each was due, alone and beside four renders at a time. A read that is late waited for the event loop.',
    figures: [milliseconds('p50'), milliseconds('p99'), milliseconds('max'), RATE],
    rows: [
      [/^in-loop@b-idle$/, 'without threads, alone'],
      [/^in-loop@b-renders$/, 'without threads, beside renders'],
      [/^previews@b-in-loop$/, 'the renders without threads'],
      [/^product@b-idle$/, 'with threads, alone'],
      [/^product@b-renders$/, 'with threads, beside renders', '+280,000 requests/s by threads'],
      [/^previews@b-threads$/, 'the renders with threads'],
    ],
  },
  {
    title: 'C, events: codecs of stored bodies',
    about: 'Bodies of the dataset. An operation compresses and decompresses one.',
    figures: [
      ['raw ÷ stored', ({ extra }) => number(extra?.rawToStored ?? 1)],
      ['operations/s', RATE[1]],
      ['CPU', CPU[1]],
    ],
    rows: [
      [/^none@c-codec-(\d+)$/, 'none, $1 characters', '2,000 events/s'],
      [/^gzip@c-codec-(\d+)$/, 'gzip, $1 characters'],
      [/^brotli@c-codec-(\d+)$/, 'brotli, $1 characters'],
      [/^product@c-codec-(\d+)$/, 'zstd, as opencanvas-api, $1 characters', '9,000 events/s'],
    ],
  },
  {
    title: 'C, events: by size of the batch',
    about:
      'A batch of events, and the next when it is committed: concurrent requests over HTTP, or a batch of a producer in Kafka.',
    figures: [EVENTS, ['time of a batch', ({ latencyMs }) => `${number(latencyMs.p50)} ms`], CPU],
    rows: [
      [/^product@c-http-(\d+)$/, 'HTTP, $1'],
      [/^product@c-kafka-(\d+)$/, 'Kafka, $1', '1 round trip for 100'],
    ],
  },
  {
    title: 'C, events: reads beside events',
    about: 'Cached reads at 250 a second, counted from the moment that each was due.',
    figures: [milliseconds('p50'), milliseconds('p95'), milliseconds('p99'), milliseconds('max')],
    rows: [
      [/^product@c-beside-0-\w+$/, 'no events'],
      [/^product@c-beside-2000-(\w+)$/, '2,000 events/s ($1)', 'before: p99 > 500 ms'],
      [/^product@c-beside-9000-(\w+)$/, '9,000 events/s ($1)', 'after: p99 < 15 ms'],
    ],
  },
  {
    title: 'C, events: the slowest reads by size of the document',
    about: 'The shortest, middle and longest twentieth of the posts, each read a query, by 10 connections.',
    figures: [
      ['bytes of a body', ({ extra }) => number(extra?.bodyBytes ?? 0)],
      ...(['p50', 'p95', 'p99'] as const).map(milliseconds),
      CPU,
    ],
    rows: [
      [/^product@c-size-(shortest|middle)$/, '$1'],
      [/^product@c-size-(longest)$/, '$1', 'p99 four times p90'],
    ],
  },
  {
    title: 'D, push messages: pool size × processes',
    about: 'Uncached pages of the feed by 100 connections. The pool is that of all web processes together.',
    figures: [RATE, milliseconds('p50'), milliseconds('p99'), CPU],
    rows: [[/^product@d-(\d+)-processes-pool-(\d+)$/, 'processes: $1, pool: $2']],
  },
  {
    title: 'D, push messages: two opinions about speed',
    about: 'Ten calls of the file system, one after the other, and the same small program from both languages.',
    figures: [['operations/s', RATE[1]], CPU],
    rows: [
      [/^callbacks@d-myths$/, 'callbacks', 'no gain'],
      [/^promises@d-myths$/, 'promises'],
      [/^javascript@d-myths$/, 'JavaScript', 'no gain'],
      [/^typescript@d-myths$/, 'TypeScript'],
    ],
  },
  {
    title: 'E, map tiles: from 1 to 30 users',
    about:
      'Users who ask for the next page of the feed after each response: 70 % the default page, 30 % random limits.',
    figures: [milliseconds('mean'), milliseconds('p99'), ERROR_SHARE, RATE],
    rows: [
      [/^express-naive@e-(30)-users$/, 'Express, naive, users: $1', 'before: 25 s, 19.57 % errors'],
      [/^express-naive@e-(\d+)-users$/, 'Express, naive, users: $1'],
      [/^product@e-(30)-users$/, 'opencanvas-api, users: $1', 'after: 1 s, no errors'],
      [/^product@e-(\d+)-users$/, 'opencanvas-api, users: $1'],
    ],
  },
];

/** Returns a table for each measured part of the case studies, with the figure of the study beside ours. */
export function studyTables(report: Pick<Report, 'results' | 'ratios'>): Table[] {
  const results = report.results.filter(({ suite }) => suite === STUDY_SUITE);
  return STUDIES.flatMap(({ title, about, figures, rows }) => {
    const measured = results.flatMap((result) => {
      const row = rows.find(([subject]) => subject.test(result.subject));
      if (row === undefined) return [];
      const [subject, label, claim = ''] = row;
      const cells = figures.map(([, show]) => show(result));
      return [[result.subject.replace(subject, label), ...cells, claim, verdictsOf(report.ratios, result.subject)]];
    });
    const head = ['', ...figures.map(([name]) => name), 'the study', 'targets'];
    return measured.length === 0 ? [] : [{ title, about, head, rows: measured }];
  });
}

function verdictsOf(ratios: Ratio[], subject: string): string {
  return pairsOf({ ratios })
    .filter((pair) => pair.suite === STUDY_SUITE && pair.subject === subject)
    .flatMap((pair) => judgeTargets(pair, pair.values))
    .map(describeVerdict)
    .join('; ');
}
