import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { TOKEN_AUDIENCE, TOKEN_ISSUER } from '../src/platform/access/access-token.service.js';
import { DEFAULT_LIMIT } from '../src/platform/http/pagination/page.query.js';
import { StartupError } from '../src/common/errors.js';
import type { AppConfig } from '../src/config/app-config.js';
import { createSigner } from 'fast-jwt';
import { BenchmarkContext, type BenchmarkOptions } from './context.js';
import { Datasets } from './data/datasets.js';
import { startBenchMongod, type BenchMongod } from './harness/bench-mongod.js';
import { cliEnvironment, TOKEN_SECRET } from './harness/cli-environment.js';
import { runCliProcess } from './harness/cli-process.js';
import { describeMachine, type Environment, revisionOf } from './harness/environment.js';
import { ProcessRegistry } from './harness/process-registry.js';
import { Progress } from './harness/progress.js';
import type { Report } from './harness/results.js';
import { SubjectPool } from './harness/subject.js';
import { describeRatios, describeStudies } from './report/console-table.js';
import { svgFile } from './report/chart.js';
import { renderHtml } from './report/html.js';
import { renderMarkdown } from './report/markdown.js';
import { assertComparable, mergeReports, readReport } from './report/merge.js';
import { peersChart } from './report/overview.js';
import { SUITES } from './suites/index.js';
import type { Suite } from './suites/suite.js';

export type BenchmarkRequest = BenchmarkOptions & {
  suites: Suite[];
  jsonFile: string | null;
  /** Preserves the earlier results of suites that do not run now. */
  isMerge: boolean;
  /** Directory for benchmarks.md and its image; null: none. */
  pageDirectory: string | null;
  /** Directory for the same page, benchmarks.html and benchmarks.json; null: none. */
  reportDirectory: string | null;
  isFresh: boolean;
  /** Directory for CPU profiles of the subjects' processes; null: none. */
  profileDirectory: string | null;
};

/** Starts servers, runs the suites one after the other and writes the reports. Resolves to false after any failure. */
export async function runBenchmark(config: AppConfig, request: BenchmarkRequest): Promise<boolean> {
  const registry = new ProcessRegistry();
  const progress = new Progress();
  const ignoreSignals = registry.handleSignals(() => progress.line('Stopping everything that was started …'));
  const home = resolve(config.mongo.dataDir, 'benchmark');
  await mkdir(home, { recursive: true });
  const directory = await mkdtemp(join(home, 'run-'));
  registry.add({ name: 'scratch files', pid: null, stop: () => rm(directory, { recursive: true, force: true }) });
  try {
    const earlier = request.isMerge && request.jsonFile !== null ? await readReport(request.jsonFile) : null;
    const context = await prepare(config, request, registry, progress, home, directory);
    // Describes the environment now, because the started revision is the measured one.
    const environment = await describe(context, request);
    if (earlier) assertComparable(earlier.environment, environment, request.jsonFile!);
    for (const suite of request.suites) {
      if (registry.isStopping) break;
      progress.status(`${suite.name}: preparing`);
      try {
        await suite.run(context);
      } catch (error) {
        context.fail({
          suite: suite.name,
          subject: '*',
          problem: error instanceof Error ? (error.stack ?? error.message) : String(error),
        });
      }
    }
    // A signal stops everything, because partial results are not a valid run.
    if (registry.isStopping) return await new Promise<boolean>(() => {});
    const missing = context.missingSubjects;
    const problem = `These suites have no subject "${missing.join('", "')}".`;
    // There is nothing to write.
    if (context.results.length + context.failures.length === 0) throw new StartupError(problem);
    if (missing.length > 0 && context.failures.length === 0) context.fail({ suite: '*', subject: '*', problem });
    await publish(context, request, environment, earlier);
    return context.failures.length === 0;
  } finally {
    await registry.stopAll();
    ignoreSignals();
  }
}

async function prepare(
  config: AppConfig,
  request: BenchmarkRequest,
  registry: ProcessRegistry,
  progress: Progress,
  home: string,
  directory: string,
): Promise<BenchmarkContext> {
  const line = (text: string) => progress.line(text);
  const mongod = request.target === null ? await startBenchMongod(config, home, registry, line) : null;
  const pool = {
    mongoUri: mongod?.uri ?? '',
    tokenSecret: TOKEN_SECRET,
    defaultLimit: DEFAULT_LIMIT,
    dataDir: home,
    nodeFlags: profileFlags(request),
  };
  const datasets = mongod && makeDatasets(mongod, request, registry, home, line);
  const sign = createSigner({
    key: TOKEN_SECRET,
    algorithm: 'HS256',
    iss: TOKEN_ISSUER,
    aud: TOKEN_AUDIENCE,
    expiresIn: 3_600_000,
  });
  return new BenchmarkContext(
    request,
    registry,
    progress,
    new SubjectPool(pool, registry),
    mongod,
    (profile) => {
      if (!datasets) throw new Error('This suite needs the database, which --target does not give.');
      return datasets.open(profile);
    },
    (userId) => sign({ sub: userId, role: 'user' }),
    TOKEN_SECRET,
    directory,
    describeMachine().cores,
  );
}

function profileFlags({ profileDirectory }: BenchmarkRequest): string[] {
  return profileDirectory === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profileDirectory)}`];
}

function makeDatasets(
  mongod: BenchMongod,
  request: BenchmarkRequest,
  registry: ProcessRegistry,
  home: string,
  onProgress: (line: string) => void,
) {
  return new Datasets({
    client: mongod.client,
    mongoUri: mongod.uri,
    seed: request.seed,
    isFresh: request.isFresh,
    onProgress,
    run: async (program, args, database) => {
      const env = cliEnvironment(mongod.uri, database, home);
      const isLoud = process.stderr.isTTY === true;
      await runCliProcess({ script: `bundle/${program}.js`, args, env, mongodPid: null, cwd: home, isLoud }, registry);
    },
  });
}

async function describe(context: BenchmarkContext, request: BenchmarkRequest): Promise<Environment> {
  const dataset = context.mongod ? await context.dataset() : null;
  return {
    ...describeMachine(),
    mongod: context.mongod?.version ?? 'of the target',
    dataset: dataset && { profile: dataset.profile, seed: dataset.seed, counts: dataset.counts },
    seconds: request.seconds,
    runs: request.runs,
    target: request.target,
  };
}

async function publish(
  context: BenchmarkContext,
  request: BenchmarkRequest,
  environment: Environment,
  earlier: Report | null,
): Promise<void> {
  const { ratios, failures } = context;
  const stamp = { revision: revisionOf(environment), date: environment.date };
  const results = context.results.map((result) => ({ ...result, ...stamp }));
  const latest: Report = { environment, results, ratios, failures };
  const suitesRun = request.suites.map(({ name }) => name);
  const report = earlier ? mergeReports(earlier, latest, suitesRun) : latest;
  for (const line of [...describeRatios(ratios), ...describeStudies(latest)]) context.progress.line(line);
  if (request.jsonFile !== null) await writeText(request.jsonFile, `${JSON.stringify(report, null, 2)}\n`);
  for (const directory of [request.pageDirectory, request.reportDirectory])
    if (directory !== null) await writePage(directory, report);
  if (request.reportDirectory !== null) {
    const to = (extension: string): string => join(request.reportDirectory!, `benchmarks.${extension}`);
    await writeText(to('html'), renderHtml(report, [...SUITES]));
    await writeText(to('json'), `${JSON.stringify(report, null, 2)}\n`);
  }
  for (const { suite, subject, problem } of failures)
    context.progress.line(`FAILED ${suite} ${subject}: ${problem.split('\n')[0]}`);
}

async function writePage(directory: string, report: Report): Promise<void> {
  await writeText(join(directory, 'benchmarks.md'), renderMarkdown(report, [...SUITES]));
  const chart = peersChart(report);
  if (chart.rows.length > 0) await writeText(join(directory, 'images/benchmarks.svg'), svgFile(chart));
}

async function writeText(file: string, text: string): Promise<void> {
  await mkdir(dirname(resolve(file)), { recursive: true });
  await writeFile(file, text);
}
