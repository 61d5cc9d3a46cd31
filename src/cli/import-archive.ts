import { statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { Command } from 'commander';
import { StartupError } from '../common/errors.js';
import type { ArchiveImport } from '../imports/import.schema.js';
import { showStatus } from './cli-context.js';
import { getAccount } from './get-account.js';
import { asReason } from './refusals.js';

const POLL_MS = 500;

type Flags = { as: string; json?: boolean };

/** `import archive FILE --as NAME`: an archive of another platform becomes drafts of an account, with or without a running server. */
export function importArchiveCommand(): Command {
  return new Command('archive')
    .description('import an archive of another platform as drafts of an account; exit code 1 if it fails')
    .argument('<file>', 'a ZIP, or one file of an export')
    .requiredOption('--as <username>', 'the account that gets the drafts')
    .option('--json', 'print the import as JSON')
    .action(importArchive);
}

async function importArchive(file: string, { as: username, json = false }: Flags): Promise<void> {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw new StartupError(`File not found: ${file}.`);
  const [{ withServices }, { ImportsService }, { UploadDirectory }, { toImport }] = await Promise.all([
    import('./cli-context.js'),
    import('../imports/imports.service.js'),
    import('../media/upload-directory.js'),
    import('../imports/dto/import.dto.js'),
  ]);
  await withServices(async (app, stop) => {
    const owner = await getAccount(app, username);
    const { _id } = await app
      .get(UploadDirectory)
      .use(async (directory) => {
        // The service deletes its file.
        const copy = join(directory, 'archive');
        await copyFile(file, copy);
        return app.get(ImportsService).create(owner, copy, 'operator');
      })
      .catch(asReason);
    const row = await untilDone(app, () => app.get(ImportsService).get(owner, _id), stop);
    if (json) console.log(JSON.stringify(toImport(row), null, 2));
    else print(row);
    if (row.state === 'failed') process.exitCode = 1;
  });
}

/** Waits for the import. Runs its task here if no other process runs tasks. Interrupted, the import continues on a server. */
async function untilDone(
  app: INestApplicationContext,
  read: () => Promise<ArchiveImport>,
  stop: AbortSignal,
): Promise<ArchiveImport> {
  const [{ JobsRunner }, { TaskWorker }, { TASKS_JOB }] = await Promise.all([
    import('../platform/jobs/jobs-runner.js'),
    import('../platform/work-queue/task-worker.js'),
    import('../platform/work-queue/task.schema.js'),
  ]);
  const done = new AbortController();
  const ended = AbortSignal.any([stop, done.signal]);
  const work = async (lost: AbortSignal): Promise<void> => {
    await app
      .get(TaskWorker)
      .work(AbortSignal.any([lost, ended]))
      .catch((error: unknown) => {
        if (!ended.aborted) throw error;
      });
  };
  const runTasks = async (): Promise<void> => {
    while (!ended.aborted) {
      await app.get(JobsRunner).run(TASKS_JOB, work);
      await sleep(POLL_MS, undefined, { signal: ended }).catch(() => {});
    }
  };
  const running = runTasks();
  try {
    for (;;) {
      const row = await read().catch(asReason);
      showStatus(`${row.state}: read ${row.counts.read}, drafts ${row.counts.drafts}, images ${row.counts.images}`);
      if (!row.isRunning) return row;
      await sleep(POLL_MS, undefined, { signal: stop });
    }
  } finally {
    showStatus('');
    done.abort();
    await running;
  }
}

function print({ state, format, failure, counts, problems }: ArchiveImport): void {
  for (const { entry, code, detail } of problems) console.log(`${entry}: ${code}: ${detail}`);
  const { read, drafts, repeated, images } = counts;
  if (counts.problems > problems.length) console.log(`(the first ${problems.length} problems)`);
  console.log(
    state === 'failed'
      ? `The import has failed: ${failure}.`
      : `${format}: read ${read}, drafts ${drafts}, of an earlier import ${repeated}, images ${images}, problems ${counts.problems}`,
  );
}
