import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Command } from 'commander';
import { StartupError } from '../common/errors.js';
import type { BackupManifest } from '../platform/backup/backup-file.js';
import { createProgress } from './progress.js';

/** `backup --out FILE` writes a snapshot of all documents, while the server runs. */
export function backupCommand(): Command {
  return new Command('backup')
    .description('write a consistent snapshot of the database to a file, while the server runs')
    .requiredOption('--out <file>', 'where; it must not exist yet')
    .action(({ out }: { out: string }) => backUp(out));
}

async function backUp(file: string): Promise<void> {
  if (existsSync(file)) throw new StartupError(`${file} already exists; choose another name.`);
  const folder = dirname(resolve(file));
  if (!existsSync(folder)) throw new StartupError(`The folder ${folder} does not exist.`);
  const { withSeedTarget } = await import('./seed-target.js');
  const { SnapshotWindow } = await import('../platform/backup/snapshot-window.js');
  const { writeBackup } = await import('../platform/backup/write-backup.js');
  await withSeedTarget(async ({ db, uri }, signal) => {
    const window = await SnapshotWindow.open(uri, (line) => console.error(line));
    const progress = createProgress(process.stderr);
    let manifest: BackupManifest;
    try {
      manifest = await writeBackup({
        ...{ db, file, signal },
        onProgress: ({ collection, written, share }) =>
          progress.update({ phase: 'documents', what: `${collection}: ${written}`, written, share }),
      });
    } catch (error) {
      if (signal.aborted) throw error;
      const reason = (error as Error).message.replace(/\.$/, '');
      throw new StartupError(`The backup failed: ${reason}. The incomplete file was deleted.`, error);
    } finally {
      progress.stop();
      if (!(await window.close())) process.exitCode = 1;
    }
    const documents = manifest.collections.reduce((sum, collection) => sum + collection.documents, 0);
    console.log(`${documents} documents of ${manifest.takenAt.toISOString()} are in ${file}.`);
  });
}
