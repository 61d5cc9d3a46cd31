import { type Db, MongoClient } from 'mongodb';
import { ensureIndexes } from '../platform/mongo/indexes.js';
import { withCliContext } from './cli-context.js';

/** The database to fill, and how to give it its indexes. */
export interface SeedTarget {
  db: Db;
  ensureIndexes(): Promise<void>;
}

export type WithSeedTarget = (work: (target: SeedTarget, stop: AbortSignal) => Promise<void>) => Promise<void>;

/** The configured database; its documents go through a plain client, which has no command monitor to pass thousands of batches by. */
export const withSeedTarget: WithSeedTarget = (work) =>
  withCliContext(async ({ config, connection }, stop) => {
    const { uri, database, serverSelectionTimeoutMs } = config.mongo;
    const client = new MongoClient(uri!, { maxPoolSize: 8, serverSelectionTimeoutMS: serverSelectionTimeoutMs });
    try {
      await work({ db: client.db(database), ensureIndexes: () => ensureIndexes(connection) }, stop);
    } finally {
      await client.close().catch(() => {}); // the server may be the very thing that died
    }
  });
