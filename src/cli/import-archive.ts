import { readFileSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { Command } from 'commander';
import { StartupError } from '../common/errors.js';
import type { ArchiveImport } from '../imports/import.schema.js';
import type { User } from '../users/user.schema.js';
import { showStatus } from './cli-context.js';
import { getAccount } from './get-account.js';
import { asReason } from './refusals.js';

const POLL_MS = 500;

type Flags = { as?: string; authors?: string; json?: boolean };
/** The account of these authors; empty: of all. */
type Share = { owner: User; authors: string[] };

/** `import archive FILE`: an archive of another platform becomes drafts of one account, or of one for each author, with or without a running server. */
export function importArchiveCommand(): Command {
  return new Command('archive')
    .description('import an archive of another platform as drafts; exit code 1 if it fails')
    .argument('<file>', 'a ZIP, or one file of an export')
    .option('--as <username>', 'the account that gets the drafts')
    .option(
      '--authors <csv>',
      'the account of each author of the archive, with the columns author,username; others go to --as',
    )
    .option('--json', 'print the import as JSON')
    .action(importArchive);
}

async function importArchive(file: string, { as, authors, json = false }: Flags): Promise<void> {
  if (as === undefined && authors === undefined) throw new StartupError('Name an account: --as, --authors or both.');
  for (const path of [file, ...(authors === undefined ? [] : [authors])])
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
      throw new StartupError(`File not found: ${path}.`);
  const [{ withServices }, { toImport }] = await Promise.all([
    import('./cli-context.js'),
    import('../imports/dto/import.dto.js'),
  ]);
  await withServices(async (app, stop) => {
    const owner = as === undefined ? null : await getAccount(app, as);
    const shares = authors === undefined ? [{ owner: owner!, authors: [] }] : await sharesOf(app, file, authors, owner);
    const rows: ArchiveImport[] = [];
    for (const share of shares) {
      const row = await importShare(app, file, share, stop);
      if (authors !== undefined && !json) console.log(`${share.owner.username}:`);
      if (!json) print(row);
      if (row.state === 'failed') process.exitCode = 1;
      rows.push(row);
    }
    if (json) console.log(JSON.stringify(authors === undefined ? toImport(rows[0]!) : rows.map(toImport), null, 2));
  });
}

/** Divides an archive by its authors. Names those without an account, whose posts are left out. */
async function sharesOf(app: INestApplicationContext, file: string, list: string, rest: User | null): Promise<Share[]> {
  const [{ countByAuthor }, accounts] = await Promise.all([import('../imports/archive-authors.js'), readAuthors(list)]);
  const shares = new Map<string, Share>();
  for (const [author, posts] of await countByAuthor(file).catch(asReason)) {
    const login = accounts.get(author);
    const owner = login === undefined ? rest : await getAccount(app, login);
    if (owner === null) console.error(`${author || '(no author)'}: no_account: ${posts} posts are left out.`);
    else {
      const share = shares.get(owner.username) ?? { owner, authors: [] };
      shares.set(owner.username, { owner, authors: [...share.authors, author] });
    }
  }
  if (shares.size === 0) throw new StartupError(`The archive has no posts of the authors in ${list}.`);
  return [...shares.values()];
}

/** @returns the usernames by author @throws StartupError */
async function readAuthors(path: string): Promise<Map<string, string>> {
  const { parse } = await import('csv-parse/sync');
  try {
    const rows: Record<string, string>[] = parse(readFileSync(path), { columns: true, bom: true, trim: true });
    if (rows.some(({ author, username }) => author === undefined || !username))
      throw new Error('each row needs the columns author,username');
    return new Map(rows.map(({ author, username }) => [author ?? '', username!]));
  } catch (error) {
    throw new StartupError(`${path} cannot be read: ${(error as Error).message}`, error);
  }
}

async function importShare(app: INestApplicationContext, file: string, { owner, authors }: Share, stop: AbortSignal) {
  const [{ ImportsService }, { UploadDirectory }] = await Promise.all([
    import('../imports/imports.service.js'),
    import('../media/upload-directory.js'),
  ]);
  const { _id } = await app
    .get(UploadDirectory)
    .use(async (directory) => {
      // The service deletes its file.
      const copy = join(directory, 'archive');
      await copyFile(file, copy);
      return app.get(ImportsService).create(owner, copy, { authors });
    })
    .catch(asReason);
  return untilDone(app, () => app.get(ImportsService).get(owner, _id), stop);
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
