import type { BenchmarkContext } from '../context.js';
import type { Dataset } from '../data/dataset.js';
import { type CliRun, runCliProcess } from '../harness/cli-process.js';
import { cliEnvironment } from '../harness/cli-environment.js';
import { readTreeUsage } from '../harness/process-tree.js';
import { type Result, round } from '../harness/results.js';
import { median, spreadOf } from '../harness/statistics.js';
import { moveRanks } from './moved-ranks.js';
import type { Suite } from './suite.js';

/** `jobCpuMs`: CPU time from the start of the work, without the start of the process; absent if the command does not report it. */
type JobRun = CliRun & { rows: number; jobMs: number; jobCpuMs?: number };
type Job = { subject: string; before?: () => Promise<void>; run: () => Promise<JobRun> };

/** Measures interleaved commands instead of a server: rows in place of requests, and the peak of memory. */
async function contestJobs(
  context: BenchmarkContext,
  suite: string,
  jobs: Job[],
  ratios: [string, string][],
): Promise<void> {
  const wanted = jobs.filter((job) => context.wantsSubject(job.subject));
  const runs = new Map<string, JobRun[]>();
  await context.subjects.keepOnly([]);
  context.progress.expect(wanted.length * context.options.runs);
  for (let run = 0; run < context.options.runs; run++) {
    for (const job of wanted) {
      context.progress.status(`${suite} ${job.subject} run ${run + 1}`);
      await job.before?.();
      runs.set(job.subject, [...(runs.get(job.subject) ?? []), await runSettled(context, job)]);
      context.progress.advance();
    }
  }
  const results = [...runs].map(([subject, measured]) => jobResult(suite, subject, measured));
  for (const result of results) context.add(result);
  for (const [subject, against] of ratios) {
    const [above, below] = [subject, against].map((name) => results.find((result) => result.subject === name));
    if (!above || !below) continue;
    const ratio = (metric: string, read: (result: Result) => number) =>
      context.ratios.push({ suite, metric, subject, against, value: round(read(above) / read(below), 4) });
    ratio('seconds', (result) => result.extra!.jobSeconds!);
    ratio('totalCpuMicros', ({ extra }) => (extra!.jobCpuSeconds ?? extra!.nodeCpuSeconds!) + extra!.mongodCpuSeconds!);
    ratio('rssMiB', (result) => result.rssMiB!);
  }
}

/** Takes a checkpoint before and after, so that each run pays for its own disk writes only. */
async function runSettled({ mongod }: BenchmarkContext, job: Job): Promise<JobRun> {
  const checkpoint = () => mongod!.client.db('admin').command({ fsync: 1 });
  const mongodCpu = () => readTreeUsage(mongod!.pid).cpuMicros;
  await checkpoint();
  const before = mongodCpu();
  const run = await job.run();
  await checkpoint();
  return { ...run, mongodCpuMicros: mongodCpu() - before };
}

function jobResult(suite: string, subject: string, runs: JobRun[]): Result {
  const of = (read: (run: JobRun) => number) => median(runs.map(read));
  const jobSeconds = of((run) => run.jobMs / 1000);
  const rows = of((run) => run.rows);
  const perRow = (micros: number) => round(micros / Math.max(1, rows), 1);
  const milliseconds = round(jobSeconds * 1000, 1);
  return {
    suite,
    subject,
    connections: null,
    pipelining: null,
    seconds: round(
      runs.reduce((sum, run) => sum + run.seconds, 0),
      1,
    ),
    runs: runs.length,
    requests: rows,
    requestsPerSecond: round(rows / Math.max(jobSeconds, 1e-3), 0),
    succeededPerSecond: round(rows / Math.max(jobSeconds, 1e-3), 0),
    cpuMicrosPerRequest: perRow(of((run) => run.cpuMicros)),
    mongodCpuMicrosPerRequest: perRow(of((run) => run.mongodCpuMicros)),
    latencyMs: { mean: milliseconds, p50: milliseconds, p95: milliseconds, p99: milliseconds, max: milliseconds },
    errors: 0,
    timeouts: 0,
    non2xx: 0,
    bytesPerResponse: 0,
    rssMiB: round(of((run) => run.peakRssBytes) / 2 ** 20, 1),
    spread: {
      requestsPerSecond: round(spreadOf(runs.map((run) => run.jobMs)), 3),
      cpuMicrosPerRequest: round(spreadOf(runs.map((run) => run.cpuMicros)), 3),
    },
    generatorCpuShare: 0,
    extra: {
      rows,
      jobSeconds: round(jobSeconds, 3),
      nodeCpuSeconds: round(of((run) => run.cpuMicros) / 1e6, 2),
      ...(runs.every((run) => run.jobCpuMs !== undefined) && {
        jobCpuSeconds: round(of((run) => run.jobCpuMs!) / 1_000, 2),
      }),
      mongodCpuSeconds: round(of((run) => run.mongodCpuMicros) / 1e6, 2),
    },
    notes: [
      'a request is a row here; CPU and memory are those of the whole command, its start included; jobCpuSeconds is without its start',
    ],
  };
}

function productJob(context: BenchmarkContext, dataset: Dataset, label: string, share: number): Job {
  const db = dataset.product;
  const env = cliEnvironment(context.mongod!.uri, db.databaseName, context.directory);
  return {
    subject: `product@${label}`,
    before: async () => {
      // Ranks both slots first, so that only the chosen share has moved.
      for (let slot = 0; share < 1 && slot < 2; slot++)
        await runCliProcess({ args: ['rank', 'run'], env, mongodPid: null, cwd: context.directory }, context.registry);
      await moveRanks(db, share);
    },
    run: async () => {
      const options = { args: ['rank', 'run'], env, mongodPid: context.mongod!.pid, cwd: context.directory };
      const run = await runCliProcess(options, context.registry);
      const match = /\b(\d+) posts moved in (\d+) ms, \d+ rows\/s, (\d+) ms CPU/.exec(run.output);
      if (!match) throw new Error(`\`rank run\` said: ${run.output.slice(-500)}`);
      return { ...run, rows: Number(match[1]), jobMs: Number(match[2]), jobCpuMs: Number(match[3]) };
    },
  };
}

function plainJob(context: BenchmarkContext, dataset: Dataset, label: string): Job {
  const script = 'benchmarks/peers/score-job-plain.js';
  return {
    subject: `score-job-plain@${label}`,
    run: async () => {
      const args = [dataset.caseA.databaseName];
      // Every account of the machine can read command lines, and the URI contains a password.
      const env = { NODE_ENV: 'production', MONGODB_URI: context.mongod!.uri };
      const options = { args, script, env, mongodPid: context.mongod!.pid };
      const run = await runCliProcess(options, context.registry);
      const { rows, durationMs, cpuMs } = JSON.parse(run.output.trim().split('\n').at(-1)!) as {
        rows: number;
        durationMs: number;
        cpuMs: number;
      };
      return { ...run, rows, jobMs: durationMs, jobCpuMs: cpuMs };
    },
  };
}

const SCORE_JOB: Suite = {
  name: 'score-job',
  title: 'Score job',
  question:
    'Scoring all posts, at two sizes: when every post moved, and when 1 % did; beside the streamed job through a mongoose model.',
  async run(context) {
    const sizes = context.options.isQuick
      ? (['tiny'] as const)
      : ([previousProfile(context), context.options.profile] as const);
    for (const profile of new Set(sizes)) {
      const dataset = await context.dataset(profile);
      await contestJobs(
        context,
        'score-job',
        [
          plainJob(context, dataset, profile),
          productJob(context, dataset, `${profile}-all`, 1),
          productJob(context, dataset, `${profile}-1-percent`, 0.01),
        ],
        [
          [`product@${profile}-all`, `score-job-plain@${profile}`],
          [`product@${profile}-1-percent`, `product@${profile}-all`],
        ],
      );
    }
  },
};

function previousProfile(context: BenchmarkContext): 'tiny' | 'small' | 'medium' {
  switch (context.options.profile) {
    case 'full':
      return 'medium';
    case 'medium':
      return 'small';
    case 'small':
    case 'tiny':
      return 'tiny';
  }
}

export const JOB_SUITES: Suite[] = [SCORE_JOB];
