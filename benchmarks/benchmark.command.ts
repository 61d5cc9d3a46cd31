import { Command, InvalidArgumentError, Option } from 'commander';
import { PROFILE_NAMES, type ProfileName } from '../seeds/profiles.js';
import { StartupError } from '../src/common/errors.js';
import { loadConfig } from '../src/config/app-config.js';
import { positive, wholeNumber } from '../src/cli/numbers.js';

type Flags = {
  suite?: string[];
  profile?: ProfileName;
  seed?: number;
  seconds?: number;
  warmup?: number;
  runs?: number;
  connections?: number;
  subjects?: string[];
  scale?: number;
  quick?: boolean;
  target?: string;
  list?: boolean;
  json?: string;
  merge?: boolean;
  out?: string;
  fresh?: boolean;
  cpuProf?: string;
};

/** `npm run benchmark`: parses the options; `run-benchmark.ts` does the rest. */
export function benchmarkCommand(): Command {
  return new Command('benchmark')
    .description('compare the server with other implementations on this machine and the same data')
    .option('--suite <names>', 'comma-separated suites; default: all but pocketbase', names)
    .addOption(new Option('--profile <name>', 'dataset; default: small (tiny with --quick)').choices(PROFILE_NAMES))
    .option('--seed <number>', 'seed of the dataset; default: 1', wholeNumber)
    .option('--seconds <number>', 'timed seconds of a run', positive)
    .option(
      '--warmup <number>',
      'untimed seconds of load before each run; default: 2, longer for a process not loaded before',
      positive,
    )
    .option('--runs <number>', 'interleaved runs of each subject', wholeNumber)
    .option('--connections <number>', 'connections of the closed loops', wholeNumber)
    .option('--subjects <names>', 'comma-separated subjects; default: all', names)
    .option('--scale <factor>', 'run the simulation this many times faster', positive)
    .option('--quick', 'run each suite once and briefly: a functional test, not a measurement')
    .addOption(
      new Option('--target <url>', 'load a running server instead of starting one; read suites only')
        .argParser(originOf)
        // a remote server has no dataset and no processes of the benchmark
        .conflicts(['profile', 'seed', 'fresh', 'cpuProf']),
    )
    .option('--fresh', 'drop the dataset and seed it again')
    .option(
      '--cpu-prof <directory>',
      'write a CPU profile of every subject process there (the figures are not to be used)',
    )
    .option('--json <file>', 'write environment, results and ratios')
    .option('--merge', 'keep the results of other suites in that file, and report on all')
    .option(
      '--out <directory>',
      'write benchmarks.md, benchmarks.html and benchmarks.json there; default: docs/benchmarks.md alone, and nothing with --quick, --target, --subjects, --cpu-prof or a choice of suites without --merge',
    )
    .option('--list', 'list the suites')
    .action(benchmark);
}

async function benchmark(flags: Flags): Promise<void> {
  const { SUITES: local, REMOTE_SUITES } = await import('./suites/index.js');
  const target = flags.target ?? null;
  const available = target === null ? local : REMOTE_SUITES;
  if (flags.list) {
    for (const suite of available) process.stdout.write(`${suite.name.padEnd(20)} ${suite.question}\n`);
    return;
  }
  const known = new Map(available.map((suite) => [suite.name, suite]));
  for (const name of flags.suite ?? []) {
    if (!known.has(name)) throw new StartupError(`Unknown suite "${name}"; --list shows all suites.`);
  }
  const suites = available.filter((suite) => flags.suite?.includes(suite.name) ?? suite.isByName !== true);
  const isQuick = flags.quick ?? false;
  const isMerge = flags.merge ?? false;
  if (isMerge && flags.json === undefined)
    throw new StartupError('--merge needs --json <file>, the file to merge into.');
  // docs/benchmarks.md covers all suites with all their subjects.
  const isPart = flags.subjects !== undefined || (flags.suite !== undefined && !isMerge);
  const isWhole = !flags.out && !isQuick && !isPart && !flags.cpuProf && target === null;
  const { WARMUP_POLICY } = await import('./harness/warmup.js');
  const { runBenchmark } = await import('./run-benchmark.js');
  const isFine = await runBenchmark(loadConfig(), {
    suites,
    profile: flags.profile ?? (isQuick ? 'tiny' : 'small'),
    seed: flags.seed ?? 1,
    seconds: flags.seconds ?? (isQuick ? 0.4 : 5),
    warmupSeconds: flags.warmup ?? (isQuick ? 0.2 : 2),
    warmupPolicy: isQuick || flags.warmup !== undefined ? null : WARMUP_POLICY,
    runs: flags.runs ?? (isQuick ? 1 : 5),
    // A hundred slow responses do not fit into half a second.
    connections: flags.connections ?? (isQuick ? 10 : null),
    subjects: flags.subjects ?? null,
    scale: flags.scale ?? (isQuick ? 50 : 1),
    isQuick,
    target,
    isFresh: flags.fresh ?? false,
    profileDirectory: flags.cpuProf ?? null,
    jsonFile: flags.json ?? null,
    isMerge,
    reportDirectory: flags.out ?? null,
    pageDirectory: isWhole ? 'docs' : null,
  });
  if (!isFine) process.exitCode = 1;
}

/** @throws InvalidArgumentError */
function originOf(url: string): string {
  const { origin, href } = URL.canParse(url) ? new URL(url) : { origin: '', href: '' };
  // Requests would omit a path.
  if (!origin.startsWith('http://') || href !== `${origin}/`)
    throw new InvalidArgumentError('It must be an http:// URL with a host and a port only.');
  return origin;
}

/** @throws InvalidArgumentError */
function names(text: string): string[] {
  const found = text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  if (found.length === 0) throw new InvalidArgumentError('It must be a comma-separated list of names.');
  return found;
}
