import { revisionOf } from '../harness/environment.js';
import type { Ratio, Report, Result, Stamp } from '../harness/results.js';

/** Returns words and numbers that the Markdown and the HTML report share. */
export function environmentRows(report: Report): [string, string][] {
  const { environment, results } = report;
  const { dataset } = environment;
  const counts = Object.entries(dataset?.counts ?? {}).map(([name, count]) => `${count.toLocaleString('en')} ${name}`);
  const list = (values: string[], name: string): string[] => (values.length > 0 ? values : [name]);
  const revisions = list([...new Set(results.map(({ revision }) => revision))], revisionOf(environment));
  const dates = list([...new Set(results.map(({ date }) => date.slice(0, DAY_LENGTH)))].sort(), environment.date);
  return [
    ['Date', dates.join(', ')],
    ['Revision', revisions.join(', ')],
    ['Machine', `${environment.cores} × ${environment.cpuModel}, ${environment.memoryGiB} GiB, ${environment.os}`],
    ['Software', `Node.js ${environment.node}, mongod ${environment.mongod}`],
    ['Dataset', dataset ? `${dataset.profile}, seed ${dataset.seed}: ${counts.join(', ')}` : 'of the target'],
    [
      'Runs',
      `medians of ${range(results.map(({ runs }) => runs))} interleaved runs of ${range(results.map(({ runs, seconds }) => seconds / runs))} s`,
    ],
  ];
}

const DAY_LENGTH = '2026-11-25'.length;

function range(values: number[]): string {
  if (values.length === 0) return '0';
  const [least, most] = [number(Math.min(...values)), number(Math.max(...values))];
  return least === most ? least : `${least} to ${most}`;
}

function areOfOneCall({ environment, results }: Report): boolean {
  return results.every(({ revision, date }) => revision === revisionOf(environment) && date === environment.date);
}

/** Returns null if the head of the report has the same stamp. Other calls may have measured for another time. */
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

/** Returns remarks and figures that do not fit the table. */
export function remarks(result: Result): string[] {
  const extra = Object.entries(result.extra ?? {}).map(([name, value]) => `${name} ${number(value)}`);
  return [
    ...(extra.length > 0 ? [`${result.subject}: ${extra.join(', ')}`] : []),
    ...(result.notes ?? []).map((note) => `${result.subject}: ${note}`),
  ];
}

/** Returns the most important ratios: the cost of a request for the machine, and further counts of each suite. */
export function headlineRatios(ratios: Ratio[]): Ratio[] {
  return ratios.filter((ratio) => ratio.metric !== 'cpuMicrosPerRequest');
}

export function number(value: number): string {
  if (value === 0) return '0';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}
