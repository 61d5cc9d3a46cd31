import type { INestApplicationContext } from '@nestjs/common';
import { Command } from 'commander';
import type { Connection } from 'mongoose';
import { StartupError } from '../common/errors.js';
import { withServices } from './cli-context.js';
import { diffCollections, ensureIndexes } from '../platform/mongo/indexes/indexes.js';

/** `indexes` lists differences between code and database. `indexes create` creates missing indexes, and drops with `--drop-undeclared`. */
export function indexesCommand(): Command {
  const list = new Command('list')
    .description('list missing and redundant indexes; exit code 1 when an index is missing')
    .action(() => onConnection(listDifferences));
  const create = new Command('create')
    .description('create missing indexes')
    .option('--drop-undeclared', 'also drop indexes that no schema declares', false)
    .action(({ dropUndeclared }: { dropUndeclared: boolean }) =>
      onConnection(async (connection, app) => {
        if (dropUndeclared) await requireNoOlder(app);
        await ensureIndexes(connection, { dropUndeclared, onProgress: (line) => console.log(line) });
        console.log('Every declared index exists.');
      }),
    );
  return new Command('indexes')
    .description('compare indexes of the database with those in the code')
    .addCommand(list, { isDefault: true })
    .addCommand(create);
}

/** Runs `work` on the connection of the application, which has every model. */
async function onConnection(
  work: (connection: Connection, app: INestApplicationContext) => Promise<void>,
): Promise<void> {
  const { MongoService } = await import('../platform/mongo/mongo.service.js');
  await withServices((app) => work(app.get(MongoService).connection, app));
}

/** Refuses while a server of an earlier release runs, which may need an index that this build does not declare. */
async function requireNoOlder(app: INestApplicationContext): Promise<void> {
  const { Hosts } = await import('../platform/hosts/hosts.js');
  const older = await app.get(Hosts).findOlder();
  if (older.length === 0) return;
  const hosts = older.join(', ');
  throw new StartupError(
    `Nothing was dropped: ${hosts} may still need what would be. Replace hosts of earlier versions and other builds first; one that ended counts for two more minutes. Without --drop-undeclared it only creates.`,
  );
}

async function listDifferences(connection: Connection): Promise<void> {
  const diffs = await diffCollections(connection);
  for (const { collection, missing, redundant, isValidatorStale } of diffs) {
    for (const { key } of missing) console.log(`${collection}: missing ${JSON.stringify(key)}`);
    for (const { name, reason } of redundant) console.log(`${collection}: redundant ${name} (${reason})`);
    if (isValidatorStale) console.log(`${collection}: its validator differs`);
  }
  if (diffs.length === 0) console.log('All indexes and validators match the code.');
  if (diffs.some(({ missing }) => missing.length > 0)) process.exitCode = 1;
}
