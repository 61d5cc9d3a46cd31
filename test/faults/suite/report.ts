import { cpus, release, totalmem } from 'node:os';
import type { FaultOutcome, FaultReport } from './fault-run.js';
import { rollingLine, type RollingReport } from './rolling-restarts.js';

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
const quantile = (numbers: number[], share: number): number =>
  [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? 0;
const seconds = (ms: number): string => (ms / 1_000).toFixed(2);
const times = (all: number[]): string => `${seconds(quantile(all, 0.5))} / ${seconds(Math.max(0, ...all))}`;

const setting = ({ members, hosts, isProxied, hasNetwork }: FaultReport): string =>
  `${hosts > 1 ? `${hosts} hosts, ` : ''}${isProxied ? 'nginx, ' : ''}${members > 1 ? members : 'one'} mongod${members > 1 ? 's' : ''}${hasNetwork ? ', unreliable network' : ''}`;

function totals(reports: FaultReport[]) {
  const all = <T>(of: (report: FaultReport) => T[]): T[] => reports.flatMap(of);
  const outcomes = all((report) => report.outcomes);
  return {
    faults: sum(outcomes.map(({ names }) => names.length)),
    pairs: outcomes.filter(({ names }) => names.length > 1).length,
    kills: sum(outcomes.map(({ kills }) => kills)),
    acknowledged: sum(reports.map(({ counts }) => counts.acknowledged)),
    unknown: sum(reports.map(({ counts }) => counts.unknown)),
    retried: sum(reports.map(({ counts }) => counts.retried)),
    replayed: sum(reports.map(({ counts }) => counts.replayed)),
    lost: all(({ lost }) => lost),
    duplicated: all(({ duplicated }) => duplicated),
    differences: all(({ auditDifferences }) => auditDifferences),
    wronglyRanked: all(({ wronglyRanked }) => wronglyRanked),
    violations: all(({ violations }) => violations),
    checks: sum(reports.map(({ checks }) => checks)),
    staleReads: sum(reports.map(({ staleReads }) => staleReads)),
    seconds: sum(reports.map((report) => report.seconds)),
  };
}

/** One run, as a line of the file that `--sum` adds up. */
export type Slice = {
  revision: string;
  command: string;
  seconds: number;
  acknowledged: number;
  unknown: number;
  kills: number;
  /** two faults at a time */
  pairs: number;
  /** by name */
  faults: Record<string, number>;
  /** acknowledged writes by operation */
  operations: Record<string, number>;
  found: string[];
};

export function sliceOf(reports: FaultReport[], revision: string, command: string): Slice {
  const { lost, duplicated, differences, wronglyRanked, violations, ...all } = totals(reports);
  return {
    ...{ revision, command, seconds: all.seconds },
    ...{ acknowledged: all.acknowledged, unknown: all.unknown, kills: all.kills, pairs: all.pairs },
    faults: sums(
      reports.flatMap(({ outcomes }) => outcomes.flatMap(({ names }) => names.map((name) => [name, 1] as const))),
    ),
    operations: sums(reports.flatMap(({ operations }) => [...operations])),
    found: [...lost, ...duplicated, ...differences, ...wronglyRanked, ...violations],
  };
}

/** Returns the slices of one revision as Markdown. */
export function sumPage(slices: Slice[]): string {
  const faults = sums(slices.flatMap((slice) => Object.entries(slice.faults)));
  const operations = sums(slices.flatMap((slice) => Object.entries(slice.operations)));
  const all = (of: (slice: Slice) => number): number => sum(slices.map(of));
  return `| slices | faults | two at a time | SIGKILL | acknowledged writes | without an answer | lost, doubled, undone or wrong | minutes |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| ${slices.length} | ${sum(Object.values(faults))} | ${all(({ pairs }) => pairs)} | ${all(({ kills }) => kills)} | ${all(({ acknowledged }) => acknowledged)} | ${all(({ unknown }) => unknown)} | ${all(({ found }) => found.length)} | ${Math.round(all(({ seconds: of }) => of) / 60)} |

${table('fault', faults)}

${table('operation', operations)}

Seeds and commands:

${slices.map(({ command }) => `- \`${command}\``).join('\n')}
`;
}

function table(title: string, counts: Record<string, number>): string {
  const rows = Object.entries(counts).sort(([, one], [, other]) => other - one);
  return [`| ${title} | times |`, '| --- | ---: |', ...rows.map(([name, count]) => `| ${name} | ${count} |`)].join(
    '\n',
  );
}

function sums(counts: (readonly [name: string, count: number])[]): Record<string, number> {
  const all: Record<string, number> = {};
  for (const [name, count] of counts) all[name] = (all[name] ?? 0) + count;
  return all;
}

/** Returns lines for the terminal. */
export function summaryLines(reports: FaultReport[], rolling?: RollingReport): string[] {
  const { lost, duplicated, differences, wronglyRanked, violations, ...counts } = totals(reports);
  const found = { lost, duplicated, 'audit differences': differences, 'wrongly ranked': wronglyRanked, violations };
  return [
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', '),
    Object.entries(found)
      .map(([name, lines]) => `${name} ${lines.length}`)
      .join(', '),
    ...Object.entries(found).flatMap(([name, lines]) => lines.slice(0, 20).map((line) => `${name}: ${line}`)),
    ...(rolling === undefined ? [] : [rollingLine(rolling), ...rolling.failures.slice(0, 20)]),
  ];
}

/** Returns the injected faults and the result as Markdown. docs/operations.md names the limits of the report. */
export function reportPage(reports: FaultReport[], command: string, rolling?: RollingReport): string {
  const all = totals(reports);
  const kinds = reports.flatMap((report) => {
    const byName = new Map<string, FaultOutcome[]>();
    for (const outcome of report.outcomes) {
      const name = outcome.names.length > 1 ? 'two at a time' : outcome.names[0]!;
      byName.set(name, [...(byName.get(name) ?? []), outcome]);
    }
    return [...byName].map(([name, outcomes]) => {
      const of = (field: 'causeMs' | 'writeMs' | 'readMs' | 'fullMs'): string =>
        times(outcomes.map((one) => one[field]));
      return `| ${name} | ${setting(report)} | ${outcomes.length} | ${of('causeMs')} | ${of('writeMs')} | ${of('readMs')} | ${of('fullMs')} |`;
    });
  });
  const { found, operations } = sliceOf(reports, '', command);
  const [cpu] = cpus();
  const slowest = reports.map(({ slowest: { ms } }) => ms);
  return `# Report of the fault suite

\`\`\`
${command}
\`\`\`

Real processes throughout: the cluster as \`npm start\` runs it (primary, two web workers, jobs process), real mongods, and ${48} clients that
send the ${Object.keys(operations).length} operations below, half of the votes on three hot posts. The clients write down every acknowledged answer; what they
send again after a broken connection or a 503 is a PUT, a DELETE, or a POST with the same Idempotency-Key.

| | |
| --- | ---: |
| faults injected | ${all.faults} |
| two at a time | ${all.pairs} |
| processes ended with SIGKILL | ${all.kills} |
| acknowledged writes | ${all.acknowledged} |
| sent again | ${all.retried} |
| answered from the first answer (Idempotency-Key) | ${all.replayed} |
| given up without an answer (either outcome is right) | ${all.unknown} |
| **acknowledged and lost** | **${all.lost.length}** |
| **duplicated** | **${all.duplicated.length}** |
| **differences found by \`counters audit\`** | **${all.differences.length}** |
| posts that the next run of the score job ranked wrongly | ${all.wronglyRanked.length} |
| answers that were not allowed | ${all.violations.length} |
| full checks of ledger and counters | ${all.checks} |
| cached reads answered as stale while the database was away | ${all.staleReads} |
| slowest answer of all | ${seconds(Math.max(0, ...slowest))} s |
| duration | ${Math.round(all.seconds / 60)} min |

Not allowed are: any 5xx but a 503 in problem+json with Retry-After; a cached read that fails while the database is away; a liveness answer
other than 200; readiness that says yes without a database; a broken connection during a rolling restart or
while the network is slow; no answer within 120 s.

## Faults and the way back

Median / longest, in seconds. *Cause*: from the damage until the injector had taken its cause away again (restarted mongod, thawed it, or
waited for the election). *Write* and *read*: from then until four requests in a row over fresh connections succeeded, no cache involved.
*All back*: from the damage until every process of the cluster was ready again.

| fault | database | times | cause | write | read | all back |
| --- | --- | ---: | ---: | ---: | ---: | ---: |
${kinds.join('\n')}

## Acknowledged writes

${table('operation', operations)}
${rolling === undefined ? '' : rollingSection(rolling)}
## Where

${cpu?.model ?? 'unknown CPU'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release()}, Node ${process.version}; clients, servers and databases share the machine. The
seed (${reports[0]?.seed ?? 0}) decides which fault comes when and what each client sends; the interleaving of processes is the machine's.
${found.length === 0 ? '' : `\n## Found\n\n${found.map((line) => `- ${line}`).join('\n')}\n`}`;
}

function rollingSection(report: RollingReport): string {
  const { restarts, connections, requests, failures, announced, unannounced } = report;
  const rows = Object.entries(requests).map(([name, count]) => `| requests: ${name} | ${count} |`);
  return `
## Rolling restarts in a row

A server of its own, restarted by SIGUSR2 again as soon as the last restart is done, while clients ask over connections that they keep and
send nothing twice.

| | |
| --- | ---: |
| restarts | ${restarts} |
| connections at a time | ${connections} |
${rows.join('\n')}
| **requests failed** | **${failures.length}** |
| connections ended, announced by \`Connection: close\` | ${announced} |
| connections ended without | ${unannounced} |
| slowest answer | ${seconds(report.slowestMs)} s |
| duration | ${report.seconds.toFixed(0)} s |
${failures.map((line) => `\n- ${line}`).join('')}
`;
}
