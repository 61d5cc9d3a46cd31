import { revisionOf } from '../harness/environment.js';
import type { Ratio, Report, Result, Stamp } from '../harness/results.js';

/** Words and numbers the Markdown and the HTML report share. */
export function environmentRows(report: Report): [string, string][] {
  const { environment } = report;
  const { dataset } = environment;
  const isOne = areOfOneRevision(report);
  const counts = Object.entries(dataset?.counts ?? {}).map(([name, count]) => `${count.toLocaleString('en')} ${name}`);
  return [
    ['Date', environment.date],
    ['Revision', isOne ? revisionOf(environment) : 'several; each suite says which'],
    ['Node.js', environment.node],
    ['mongod', environment.mongod],
    ['Machine', `${environment.cores} × ${environment.cpuModel}, ${environment.memoryGiB} GiB, ${environment.os}`],
    ['Dataset', dataset ? `${dataset.profile}, seed ${dataset.seed}: ${counts.join(', ')}` : 'of the target'],
    [
      'Runs',
      `${areOfOneCall(report) ? `${environment.runs} interleaved runs of ${environment.seconds} s each` : 'interleaved; each suite says how many and how long'}; medians, and half the range as spread`,
    ],
  ];
}

function areOfOneRevision({ environment, results }: Report): boolean {
  return results.every(({ revision }) => revision === revisionOf(environment));
}

function areOfOneCall(report: Report): boolean {
  return areOfOneRevision(report) && report.results.every(({ date }) => date === report.environment.date);
}

/** Null: as the head of the report says. Other calls may have measured for another time. */
export function describeStamp(report: Report, results: (Result & Stamp)[]): string | null {
  const first = results[0];
  if (first === undefined || areOfOneCall(report)) return null;
  const { revision, date, runs, seconds } = first;
  return `Measured at revision ${revision}, ${date}, ${runs} runs of ${number(seconds / runs)} s.`;
}

export const TABLE_HEAD = [
  'subject',
  'CPU node + mongod, µs/request',
  '±',
  'requests/s',
  'p50 ms',
  'p95 ms',
  'p99 ms',
  'max ms',
  'bytes',
  'RSS MiB',
  'failed or refused',
] as const;

export function tableRow(result: Result): string[] {
  const { latencyMs } = result;
  const cpu =
    result.cpuMicrosPerRequest === null
      ? '–'
      : `${number(result.cpuMicrosPerRequest)} + ${number(result.mongodCpuMicrosPerRequest ?? 0)}`;
  return [
    result.subject,
    cpu,
    result.cpuMicrosPerRequest === null ? '–' : `${Math.round(result.spread.cpuMicrosPerRequest * 100)} %`,
    number(result.requestsPerSecond),
    number(latencyMs.p50),
    number(latencyMs.p95),
    number(latencyMs.p99),
    number(latencyMs.max),
    number(result.bytesPerResponse),
    result.rssMiB === null ? '–' : number(result.rssMiB),
    String(result.errors + (result.unexpected ?? 0)),
  ];
}

/** Remarks and figures that do not fit the table. */
export function remarks(result: Result): string[] {
  const extra = Object.entries(result.extra ?? {}).map(([name, value]) => `${name} ${number(value)}`);
  return [
    ...(extra.length > 0 ? [`${result.subject}: ${extra.join(', ')}`] : []),
    ...(result.notes ?? []).map((note) => `${result.subject}: ${note}`),
  ];
}

/** The ratios worth a sentence: what a request costs the machine, and what each suite counts besides. */
export function headlineRatios(ratios: Ratio[]): Ratio[] {
  return ratios.filter((ratio) => ratio.metric !== 'cpuMicrosPerRequest');
}

export function number(value: number): string {
  if (value === 0) return '0';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}
