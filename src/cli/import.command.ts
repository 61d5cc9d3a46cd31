import { writeFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { StartupError } from '../common/errors.js';
import type { ImportOutcome } from '../import/import.service.js';
import { importArchiveCommand } from './import-archive.js';
import { createProgress } from './progress.js';

type Flags = {
  from?: string;
  database?: string;
  dryRun?: true;
  since?: 'last' | Date;
  merge?: true;
  trustUpdatedAt?: true;
  report?: string;
};

/** With jobs enabled, only the jobs process writes heartbeats, so a command does not count as a host. Its slow batches are not logged. */
const AS_COMMAND = { JOBS_ENABLED: 'true', MONGODB_SLOW_QUERY_MS: '60000' };

/** `import opencanvas|status|finish`: imports the data of an OpenCanvas server. `import archive`: an archive for an account. */
export function importCommand(): Command {
  const opencanvas = new Command('opencanvas')
    .description('import the data of an OpenCanvas database; resumes after an interruption')
    .option('--from <uri>', 'URI of the source, which is only read; default: IMPORT_URI')
    .option('--database <name>', 'database of the source; default: the one in the URI')
    .option('--dry-run', 'read and report, without writing')
    .option('--since <last|time>', 'import only changes since the last import, or since a time', since)
    .option('--merge', 'import into a database that has other data')
    .option('--trust-updated-at', 'use updatedAt of an edited post as the time of its last edit')
    .option('--report <file>', 'write the report as JSON')
    .action(importOpenCanvas);
  const status = new Command('status').description('show progress and report of the import').action(printStatus);
  const finish = new Command('finish')
    .description('after the last import: delete its bookkeeping')
    .action(finishImport);
  return new Command('import')
    .description('import from another product')
    .addCommand(importArchiveCommand())
    .addCommand(opencanvas)
    .addCommand(status)
    .addCommand(finish);
}

async function importOpenCanvas(flags: Flags): Promise<void> {
  const [{ withServices }, { ImportService }, { AppConfig }] = await load();
  await withServices(async (app, signal) => {
    const from = flags.from ?? app.get(AppConfig).import.uri;
    if (from === undefined) throw new StartupError('The source is missing: --from mongodb://…, or IMPORT_URI.');
    const progress = createProgress(process.stderr);
    const startedAt = performance.now();
    const outcome = await app
      .get(ImportService)
      .run({
        from,
        database: flags.database,
        isDryRun: flags.dryRun === true,
        since: flags.since ?? null,
        isMerge: flags.merge === true,
        trustsUpdatedAt: flags.trustUpdatedAt === true,
        signal,
        onProgress: ({ stage, rows, share, isDone }) =>
          progress.update({ phase: stage, what: stage, written: rows, share, ...(isDone && { isDone }) }),
      })
      .finally(() => progress.stop());
    await print(outcome, (performance.now() - startedAt) / 1_000, flags.report);
  }, AS_COMMAND);
}

async function print({ report, taken, differences }: ImportOutcome, seconds: number, file?: string): Promise<void> {
  const { linesOf } = await import('../import/report.js');
  for (const line of linesOf(report)) console.log(line);
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  const did = differences === null ? 'would be taken; nothing was written' : `taken, ${differences} counters differ`;
  console.log(`${taken} rows ${did}. It took ${seconds.toFixed(1)} s.`);
  if (differences !== null && differences > 0) process.exitCode = 1;
}

async function printStatus(): Promise<void> {
  const [{ withServices }, { ImportService }] = await load();
  const { linesOf } = await import('../import/report.js');
  await withServices(async (app) => {
    const state = await app.get(ImportService).status();
    if (state === null) return console.log('No import in progress: nothing was imported, or it was finished.');
    for (const line of linesOf(state.report)) console.log(line);
    const { startedAt, endedAt, stage } = state;
    if (endedAt !== null && state.state === 'done') console.log(`Completed at ${endedAt.toISOString()}.`);
    else
      console.log(
        `Started at ${startedAt.toISOString()}, current stage: ${stage}; run the same command again to resume it.`,
      );
  }, AS_COMMAND);
}

async function finishImport(): Promise<void> {
  const [{ withServices }, { ImportService }] = await load();
  await withServices(async (app) => {
    const rows = await app.get(ImportService).finish();
    console.log(`The import is finished: ${rows} remembered rows of the source were deleted.`);
  }, AS_COMMAND);
}

function load() {
  return Promise.all([
    import('./cli-context.js'),
    import('../import/import.service.js'),
    import('../config/app-config.js'),
  ]);
}

function since(text: string): 'last' | Date {
  if (text === 'last') return text;
  const time = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('It must be `last` or a time like 2025-06-01T12:00:00Z.');
  return time;
}
