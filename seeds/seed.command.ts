import { createInterface } from 'node:readline/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type DatabaseState, describeDatabaseState } from '../src/cli/database-state.js';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '../src/common/demo-accounts.js';
import { SeedInterrupted, type LoadProgress } from './load.js';
import { PROFILE_NAMES, type ProfileName, sizesOf } from './profiles.js';
import { seedDatabase } from './seed-database.js';
import { StartupError } from '../src/common/errors.js';
import type { WithSeedTarget } from '../src/cli/seed-target.js';
import { createProgress } from '../src/cli/progress.js';

interface SeedCommandOptions {
  profile: ProfileName;
  seed: number;
  posts?: number;
  now?: Date;
  yes?: boolean;
}

/** `seed` fills the database with a deterministic community; it drops existing data only on request. */
export function seedCommand(withTarget: WithSeedTarget = withConfiguredTarget): Command {
  return new Command('seed')
    .description('fill the database with deterministic demo data')
    .addOption(new Option('--profile <name>', 'size of the dataset').choices(PROFILE_NAMES).default('small'))
    .option('--seed <number>', 'seed of the random generator', wholeNumber, 1)
    .option('--posts <number>', 'number of posts; default: that of the profile', wholeNumber)
    .option('--now <time>', 'current time of the dataset (RFC 3339); default: this hour', moment)
    .option('--yes', 'drop all data of the database without confirmation')
    .action((options: SeedCommandOptions) => seed(options, withTarget));
}

/** Loads the application on demand, so that `--help` does not wait for it. */
const withConfiguredTarget: WithSeedTarget = async (work) =>
  (await import('../src/cli/seed-target.js')).withSeedTarget(work);

async function seed(options: SeedCommandOptions, withTarget: WithSeedTarget): Promise<void> {
  const { profile, posts } = options;
  const request = { profile, seed: options.seed, now: options.now ?? thisHour(), sizes: { posts } };
  try {
    sizesOf(request);
  } catch (error) {
    throw new StartupError((error as Error).message);
  }
  let progress: SeedProgress | undefined;
  try {
    await withTarget(async (target, stop) => {
      const dataset = await seedDatabase({
        db: target.db,
        request,
        ensureIndexes: () => target.ensureIndexes(),
        confirmDrop: (state) => confirmDrop(target.db.databaseName, state, options.yes ?? false),
        onProgress: (step) => {
          progress ??= createSeedProgress(process.stderr); // not before the confirmation
          progress.update(step);
        },
        signal: stop,
      });
      progress?.stop();
      if (dataset) printResult(dataset.counts);
      else process.exitCode = 1;
    });
  } catch (error) {
    progress?.stop();
    throw error instanceof SeedInterrupted ? new StartupError(error.message, error) : error;
  }
}

async function confirmDrop(database: string, state: DatabaseState, isConfirmed: boolean): Promise<boolean> {
  print(describeDatabaseState(database, state));
  if (isConfirmed) {
    print('Dropping all data (--yes).');
    return true;
  }
  if (!process.stdin.isTTY) {
    print('Nothing was changed. Add --yes to drop all data and seed.');
    return false;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const refusal = new AbortController();
    terminal.once('SIGINT', () => refusal.abort()).once('close', () => refusal.abort());
    const question = terminal.question(`Type "${database}" to drop all of it: `, { signal: refusal.signal });
    const answer = await question.catch(() => '');
    if (answer.trim() === database) return true;
    print('Nothing was changed.');
    return false;
  } finally {
    terminal.close();
  }
}

function printResult(counts: Record<string, number>): void {
  for (const [name, count] of Object.entries(counts)) print(`${String(count).padStart(9)} ${name}`);
  print(`\nSign in as ${DEMO_ACCOUNTS.map(({ username }) => username).join(', ')}; the password is ${DEMO_PASSWORD}`);
}

function print(line: string): void {
  process.stderr.write(`${line}\n`);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 0xffffffff)
    throw new InvalidArgumentError('It must be a whole number below 2^32.');
  return value;
}

function moment(text: string): Date {
  const time = new Date(text);
  const isTime = /^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(time.getTime());
  // Before 1980 the history of a dataset would begin before the first ObjectId; ObjectIds end after 2100.
  if (!isTime || time.getUTCFullYear() < 1980 || time.getUTCFullYear() > 2099) {
    throw new InvalidArgumentError('It must be a time between 1980 and 2099, like 2025-06-01T12:00:00Z.');
  }
  return time;
}

/** Rounded down, so that two runs within the hour generate the same documents. */
function thisHour(): Date {
  return new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000);
}

/** Shows the progress of a load. */
export interface SeedProgress {
  update(progress: LoadProgress): void;
  stop(): void;
}

export function createSeedProgress(stream: NodeJS.WriteStream, now?: () => number): SeedProgress {
  const progress = createProgress(stream, now);
  return { update: (load) => progress.update(stepOf(load)), stop: () => progress.stop() };
}

function stepOf({ phase, collection, written, total, share }: LoadProgress) {
  const whats = {
    documents: `${collection}: ${written} of ${total}`,
    indexes: `${total} documents stored, building indexes`,
    done: `${total} documents and their indexes`,
  };
  return { phase, what: whats[phase], written, share, isDone: phase === 'done' };
}
