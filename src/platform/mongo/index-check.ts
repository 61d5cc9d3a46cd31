import type { Connection } from 'mongoose';
import { StartupError } from '../../common/errors.js';
import { diffCollections, ensureIndexes } from './indexes.js';

/**
 * Refuses before it breaks: reads name their index, so a database without indexes would answer 500. An empty database gets its
 * indexes here; one that holds data is the operator's, who decides when the indexes are built.
 * @throws StartupError
 */
export async function requireIndexes(connection: Connection): Promise<void> {
  const differences = await diffCollections(connection);
  // some of a collection's indexes may be away for a while: the score job builds those of a rank slot anew
  const bare = differences.filter(
    ({ declaredCount, missing }) => declaredCount > 0 && missing.length === declaredCount,
  );
  if (bare.length === 0) return;
  for (const { collection } of bare) {
    if ((await connection.db!.collection(collection).estimatedDocumentCount()) === 0) continue;
    throw new StartupError(
      `The database ${connection.name} holds data but not the indexes of ${collection}; run \`npm run cli -- indexes create\` first.`,
    );
  }
  await ensureIndexes(connection);
}
