import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { describeDatabaseState, readDatabaseState } from './database-state.js';
import { StartupError } from '../common/errors.js';
import { FORMAT, readFormat } from '../platform/mongo/format/database-format.js';
import type { RestoreProgress } from '../platform/backup/restore-backup.js';
import { createProgress } from './progress.js';

/** `restore FILE` fills an empty database with a backup. */
export function restoreCommand(): Command {
  return new Command('restore')
    .description('restore a backup into an empty database; stop its servers first')
    .argument('<file>', 'file written by `backup`')
    .option('--force', 'drop all data of the database first', false)
    .action(restore);
}

async function restore(file: string, { force }: { force: boolean }): Promise<void> {
  // Runs before any message about the database.
  if (!existsSync(file)) throw new StartupError(`File not found: ${file}. Nothing was changed.`);
  const { withSeedTarget } = await import('./seed-target.js');
  const { restoreBackup } = await import('../platform/backup/restore-backup.js');
  await withSeedTarget(async (target, signal) => {
    const { db } = target;
    const state = await readDatabaseState(db);
    if (state.kind !== 'empty' && !force) {
      const holds = describeDatabaseState(db.databaseName, state);
      throw new StartupError(`${holds} Nothing was changed. Add --force to drop all data.`);
    }
    const progress = createProgress(process.stderr);
    let phase: RestoreProgress['phase'] = 'checking';
    try {
      const manifest = await restoreBackup({
        ...{ db, file, signal },
        ensureIndexes: () => target.ensureIndexes(),
        onProgress: (step) => {
          phase = step.phase;
          progress.update({ phase, what: describe(step), written: step.read, share: step.share });
        },
      });
      progress.stop();
      const documents = manifest.collections.reduce((sum, collection) => sum + collection.documents, 0);
      console.log(
        `${documents} documents of ${manifest.takenAt.toISOString()} and their indexes are in ${db.databaseName}.`,
      );
      const stored = await readFormat(db);
      if (stored !== null && stored.format < FORMAT)
        console.log(
          `The backup has format ${stored.format}; change it to that of this version: npm run cli -- migrate up`,
        );
      console.log('Before you start the server, audit the counters: npm run cli -- counters audit');
    } catch (error) {
      progress.stop();
      throw new StartupError(explain(file, phase, error as Error), error);
    }
  });
}

function describe({ phase, collection, read }: RestoreProgress): string {
  if (phase === 'indexes') return `${read} documents stored, building indexes`;
  return phase === 'checking' ? `checking ${collection}: ${read}` : `${collection}: ${read}`;
}

function explain(file: string, phase: RestoreProgress['phase'], { message }: Error): string {
  const reason = message.replace(/\.$/, '');
  return phase === 'checking'
    ? `${file} cannot be restored: ${reason}. Nothing was changed.`
    : `The restore of ${file} stopped: ${reason}. The database is incomplete and servers refuse it; run the command again with --force.`;
}
