import { Command } from 'commander';
import type { Connection } from 'mongoose';
import { withServices } from './cli-context.js';
import { diffCollections } from '../platform/mongo/indexes/indexes.js';

/** `indexes` lists differences between code and database. `migrate up` creates the missing ones. */
export function indexesCommand(): Command {
  return new Command('indexes')
    .description('list missing and redundant indexes; exit code 1 when an index is missing')
    .action(async () => {
      const { MongoService } = await import('../platform/mongo/mongo.service.js');
      await withServices((app) => listDifferences(app.get(MongoService).connection));
    });
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
