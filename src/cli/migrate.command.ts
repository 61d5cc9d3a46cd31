import { Command } from 'commander';
import { StartupError } from '../common/errors.js';
import type { Migration } from '../platform/migrations/migration.js';
import type { MigrationRunnerService, MigrationStatus } from '../platform/migrations/migration-runner.service.js';
import { PROGRAM } from '../platform/mongo/format/database-format.js';
import { withServices } from './cli-context.js';
import { createProgress } from './progress.js';

/** `migrate status` compares the format of the data with that of this program. `migrate up` changes the data. */
export function migrateCommand(): Command {
  const status = new Command('status')
    .description('show the format of the data and pending migrations; exit code 1 if there are any')
    .action(() => withMigrations(printStatus));
  const up = new Command('up')
    .description('create indexes and validators, and run pending migrations; make a backup first')
    .option('--dry-run', 'only count the rows that would change', false)
    .action(({ dryRun }: { dryRun: boolean }) => withMigrations(dryRun ? printCounts : migrate));
  return new Command('migrate')
    .description('change stored data of an earlier version')
    .addCommand(status, { isDefault: true })
    .addCommand(up);
}

type Work = (runner: MigrationRunnerService, migrations: readonly Migration[], stop: AbortSignal) => Promise<void>;

async function withMigrations(work: Work): Promise<void> {
  const [{ MigrationRunnerService }, { MIGRATIONS }] = await Promise.all([
    import('../platform/migrations/migration-runner.service.js'),
    import('../migrations/migrations.js'),
  ]);
  await withServices((app, stop) => work(app.get(MigrationRunnerService), MIGRATIONS, stop), {}, 'any format');
}

async function printStatus(runner: MigrationRunnerService, migrations: readonly Migration[]): Promise<void> {
  const status = await runner.status(migrations);
  console.log(describe(status));
  if (pendingOf(status).length > 0) process.exitCode = 1;
}

async function printCounts(runner: MigrationRunnerService, migrations: readonly Migration[]): Promise<void> {
  const pending = pendingOf(await runner.status(migrations));
  for (const migration of pending) {
    const { number, name } = migration;
    console.log(`${number} ${name}: ${await runner.count(migration)} rows would change`);
  }
  console.log(pending.length === 0 ? 'No pending migrations.' : 'Nothing was changed (--dry-run).');
}

async function migrate(
  runner: MigrationRunnerService,
  migrations: readonly Migration[],
  signal: AbortSignal,
): Promise<void> {
  const progress = createProgress(process.stderr);
  let written = 0;
  try {
    await runner.up(migrations, {
      signal,
      log: (line) => console.log(line),
      onProgress: ({ migration: { number, name }, rows, total }) => {
        written = rows;
        const share = total === 0 ? 1 : Math.min(1, rows / total);
        progress.update({ phase: name, what: `${number} ${name}: ${written} of ${total}`, written, share });
      },
    });
  } catch (error) {
    if (error instanceof StartupError || signal.aborted) throw error;
    const { message } = error as Error;
    throw new StartupError(
      `The migration stopped: ${message.replace(/\.$/, '')}. Run the command again to go on.`,
      error,
    );
  } finally {
    progress.stop();
  }
  console.log(`The data has format ${PROGRAM.format}. Audit the counters: npm run cli -- counters audit`);
}

function pendingOf({ migrations }: MigrationStatus): Migration[] {
  return migrations.filter(({ isPending }) => isPending).map(({ migration }) => migration);
}

function describe(status: MigrationStatus): string {
  const { stored, migrations } = status;
  const lines = [
    stored === null
      ? 'The database has no accounts.'
      : `The data has format ${stored.format} (${stored.version}); this program is ${PROGRAM.version} with format ${PROGRAM.format}.`,
  ];
  for (const { migration, record, isPending } of migrations) {
    const { number, name, summary, oldestProgram } = migration;
    const stop = oldestProgram === number ? ' All servers must be stopped.' : '';
    const done = record
      ? `${record.rows} rows in ${(record.durationMs / 1_000).toFixed(1)} s on ${record.endedAt.toISOString()}`
      : 'not needed';
    lines.push(`  ${number}  ${name}: ${isPending ? `pending. ${summary}${stop}` : done}`);
  }
  if (pendingOf(status).length > 0) lines.push('Make a backup, then run: npm run cli -- migrate up');
  return lines.join('\n');
}
