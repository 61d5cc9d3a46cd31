import { OwnPage } from '../account/signed-in.js';
import { useTexts } from '../components/context.js';
import { Chart } from './chart.js';
import { type Summary, useSummaries } from './use-summaries.js';

/** `/operations`: what the server does now, for admins. */
export function OperationsPage() {
  return (
    <OwnPage title={useTexts().operations.title} isWide>
      <Operations />
    </OwnPage>
  );
}

function Operations() {
  const { operations: texts, siteStats } = useTexts();
  const { hosts, failure, isForbidden = false } = useSummaries();
  const states = Object.values(hosts).sort(([a], [b]) =>
    a!.host.name + a!.host.id < b!.host.name + b!.host.id ? -1 : 1,
  );
  if (isForbidden) return <p role="alert">{texts.forAdmins}</p>;
  return (
    <>
      <p role="status" class={failure === undefined ? 'live' : 'live failure'}>
        {failure ?? (states.length === 0 ? texts.waiting : texts.live)}
      </p>
      <p>
        <a href="/stats/site">{siteStats.title}</a>
      </p>
      {states.map((summaries) => (
        <HostState key={summaries[0]!.host.id} summaries={summaries} isStale={failure !== undefined} />
      ))}
    </>
  );
}

type Row = [name: string, ...cells: (string | number)[]];

type Line = {
  title: 'requests' | 'latency' | 'errors' | 'cacheShare' | 'commits' | 'cores';
  format?: 'ms' | 'percent';
  valuesOf: (summary: Summary) => (number | null)[];
  names?: string[];
  highest?: number;
};

const CHARTS: Line[] = [
  { title: 'requests', valuesOf: ({ requests }) => [requests.perSecond] },
  {
    title: 'latency',
    format: 'ms',
    valuesOf: ({ requests }) => [requests.p50Ms, requests.p99Ms],
    names: ['p50', 'p99'],
  },
  {
    title: 'errors',
    valuesOf: ({ requests }) => [requests.clientErrorsPerSecond, requests.serverErrorsPerSecond],
    names: ['4xx', '5xx'],
  },
  { title: 'cacheShare', format: 'percent', valuesOf: ({ requests }) => [requests.cacheShare], highest: 1 },
  { title: 'commits', valuesOf: ({ commits }) => [commits.perSecond] },
  { title: 'cores', valuesOf: ({ processes }) => [processes.reduce((sum, { cpu }) => sum + (cpu ?? 0), 0)] },
];

function HostState({ summaries, isStale }: { summaries: Summary[]; isStale: boolean }) {
  const { language, operations: texts } = useTexts();
  const now = summaries.at(-1)!;
  const { database } = now;

  const number = (value: number, options: Intl.NumberFormatOptions = { maximumSignificantDigits: 3 }): string =>
    new Intl.NumberFormat(language, options).format(value);
  const percent = (value: number): string => number(value, { style: 'percent', maximumFractionDigits: 0 });
  const ms = (value: number): string => `${number(value)} ms`;
  const megabytes = (bytes: number): string =>
    number(bytes / 1e6, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 0 });
  const ago = (time: string | null): string => {
    if (time === null) return texts.never;
    const seconds = Math.max(0, (Date.parse(now.at) - Date.parse(time)) / 1_000);
    const [unit, size] = UNITS.find(([, least]) => seconds >= least) ?? ['second', 1];
    return new Intl.RelativeTimeFormat(language, { style: 'short' }).format(-Math.floor(seconds / size), unit);
  };
  const formatOf = (format: Line['format']) => (format === 'ms' ? ms : format === 'percent' ? percent : number);

  return (
    <section class={isStale ? 'host stale' : 'host'}>
      <h2>
        {now.host.name} <small>{now.host.version}</small>
      </h2>
      <div class="charts">
        {CHARTS.map(({ title, format, valuesOf, ...line }) => (
          <Chart
            key={title}
            {...line}
            title={texts[title]}
            points={summaries.map((summary) => ({ at: Date.parse(summary.at), values: valuesOf(summary) }))}
            format={formatOf(format)}
            describe={texts.chart}
          />
        ))}
      </div>
      <div class="tables">
        <Table
          title={texts.lanes}
          head={texts.laneColumns}
          rows={now.lanes.map(({ name, waiting, done, failed }) => [name, waiting, done, failed])}
        />
        <Table
          title={texts.processes}
          head={texts.processColumns}
          rows={[...now.processes]
            .sort((a, b) => (a.role < b.role ? -1 : 1))
            .map(({ role, pid, memoryBytes, cpu }) => [
              role,
              pid,
              megabytes(memoryBytes),
              cpu === null ? '–' : percent(cpu),
            ])}
        />
        {now.tasks.length > 0 && (
          <Table
            title={texts.tasks}
            head={texts.taskColumns}
            rows={now.tasks.map(({ name, lastSuccessAt, seconds, failed }) => [
              name,
              ago(lastSuccessAt),
              ms(seconds * 1_000),
              failed,
            ])}
          />
        )}
        <Table
          title={texts.database}
          rows={[
            [texts.size, database.sizeBytes === null ? '–' : megabytes(database.sizeBytes)],
            [texts.connections, `${database.connections} / ${database.maxConnections}`],
            [texts.lag, database.replicationLagSeconds === null ? '–' : `${number(database.replicationLagSeconds)} s`],
            [texts.slowQueries, now.slowQueries],
            [texts.lastBackup, ago(now.lastBackupAt)],
            ...now.otherHosts.map(({ name, version }): Row => [texts.otherHost, `${name} ${version}`]),
          ]}
        />
      </div>
    </section>
  );
}

const UNITS = [['day', 86_400] as const, ['hour', 3_600] as const, ['minute', 60] as const];

function Table({ title, head, rows }: { title: string; head?: string[]; rows: Row[] }) {
  return (
    <table>
      <caption>{title}</caption>
      {head !== undefined && (
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map(([name, ...cells]) => (
          <tr key={`${name} ${cells[0]}`}>
            <th scope="row">{name}</th>
            {cells.map((cell, at) => (
              <td key={at}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
