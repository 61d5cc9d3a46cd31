import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { StartupError } from '../common/errors.js';
import { loadConfig } from '../config/app-config.js';
import type { BackupManifest } from '../platform/backup/backup-file.js';
import { wholeNumber } from './numbers.js';
import { createProgress } from './progress.js';

const STREAM = '-';

type Options = { out?: string; keep?: number };

/** `backup --out PATH` writes a snapshot of all documents, while the server runs. `backup verify FILE` reads one, without a database. */
export function backupCommand(): Command {
  return new Command('backup')
    .description('write a consistent snapshot of the database to a file, while the server runs')
    .option('--out <path>', 'a new file, a directory (the name is the time), or - for standard output')
    .option('--keep <count>', 'verify the backup, then keep only the newest ones of the directory', wholeNumber)
    .action((options: Options, command: Command) => {
      if (options.out === undefined) command.error("error: required option '--out <path>' not specified");
      return backUp(options.out, options.keep);
    })
    .addCommand(
      new Command('verify')
        .description('read a backup to its end and compare it with its checksums; needs no database')
        .argument('<file>', 'file written by `backup`, or - for standard input')
        .action(async (file: string) => {
          const manifest = await verify(file);
          console.log(
            `${describe(manifest)} are complete in ${file === STREAM ? 'the input' : file}, written by version ${manifest.appVersion}.`,
          );
        }),
    );
}

async function backUp(out: string, keep: number | undefined): Promise<void> {
  const directory = existsSync(out) && statSync(out).isDirectory() ? out : undefined;
  if (keep !== undefined && directory === undefined) throw new StartupError('--keep needs a directory in --out.');
  const { backupFileName, deleteOldBackups } = await import('../platform/backup/backup-directory.js');
  const file = directory === undefined ? out : join(directory, backupFileName(new Date()));
  requireTarget(file);
  const manifest = await write(file);
  // Standard output contains the backup.
  console.error(`${describe(manifest)} are in ${file === STREAM ? 'the output' : file}.`);
  if (directory === undefined || keep === undefined) return;
  await verify(file);
  const deleted = await deleteOldBackups(directory, keep);
  console.error(`Verified. ${deleted.length} old files deleted from ${directory}.`);
}

function requireTarget(file: string): void {
  if (file === STREAM) {
    if (process.stdout.isTTY) throw new StartupError('--out - needs a pipe or a file behind the command.');
    return;
  }
  if (existsSync(file)) throw new StartupError(`${file} already exists; choose another name.`);
  const folder = dirname(resolve(file));
  if (!existsSync(folder)) throw new StartupError(`The folder ${folder} does not exist.`);
}

async function write(file: string): Promise<BackupManifest> {
  const { withSeedTarget } = await import('./seed-target.js');
  const { SnapshotWindow } = await import('../platform/backup/snapshot-window.js');
  const { writeBackup } = await import('../platform/backup/write-backup.js');
  const { recordBackup } = await import('../platform/backup/last-backup.js');
  const { uri: ownUri } = loadConfig().backup;
  let manifest: BackupManifest | undefined;
  await withSeedTarget(
    async ({ db, uri }, signal) => {
      const window = await SnapshotWindow.open(uri, (line) => console.error(line));
      const progress = createProgress(process.stderr);
      try {
        manifest = await writeBackup({
          ...{ db, to: file === STREAM ? process.stdout : file, signal },
          onProgress: ({ collection, written, share }) =>
            progress.update({ phase: 'documents', what: `${collection}: ${written}`, written, share }),
        });
      } catch (error) {
        if (signal.aborted) throw error;
        const reason = (error as Error).message.replace(/\.$/, '');
        const rest = file === STREAM ? 'What was written is incomplete.' : 'The incomplete file was deleted.';
        throw new StartupError(`The backup failed: ${reason}. ${rest}`, error);
      } finally {
        progress.stop();
        if (!(await window.close())) process.exitCode = 1;
      }
      await recordBackup(db, manifest).catch((error: unknown) =>
        console.error(`The metric of the last backup was not updated: ${(error as Error).message}`),
      );
    },
    ownUri === undefined ? {} : { MONGODB_URI: ownUri },
  );
  return manifest!;
}

async function verify(file: string): Promise<BackupManifest> {
  const { readBackup } = await import('../platform/backup/backup-file.js');
  if (file !== STREAM && !existsSync(file)) throw new StartupError(`File not found: ${file}.`);
  try {
    return await readBackup(file, () => {});
  } catch (error) {
    throw new StartupError(`${file} is not a complete backup: ${(error as Error).message}.`, error);
  }
}

function describe({ collections, takenAt }: BackupManifest): string {
  const documents = collections.reduce((sum, collection) => sum + collection.documents, 0);
  return `${documents} documents of ${takenAt.toISOString()}`;
}
