import type { Db } from 'mongodb';
import { createConnection } from 'mongoose';
import { connectionOptions } from '../platform/mongo/connection-options.js';
import { ensureIndexes } from '../platform/mongo/indexes.js';
import { withCliContext } from './cli-context.js';

/** The database to fill, and how to give it its indexes. */
export interface SeedTarget {
  db: Db;
  ensureIndexes(): Promise<void>;
}

export type WithSeedTarget = (work: (target: SeedTarget, stop: AbortSignal) => Promise<void>) => Promise<void>;

/**
 * The configured database through connections without a command monitor: thousands of batches have no need to pass it, and an index
 * build is no slow query.
 */
export const withSeedTarget: WithSeedTarget = (work) =>
  withCliContext(async ({ config, connection }, stop) => {
    const options = { ...connectionOptions(config.mongo), monitorCommands: false };
    const loading = await createConnection(config.mongo.uri!, options).asPromise();
    try {
      for (const model of Object.values(connection.models)) {
        loading.model(model.modelName, model.schema, model.collection.collectionName);
      }
      await work({ db: loading.db!, ensureIndexes: () => ensureIndexes(loading) }, stop);
    } finally {
      await loading.close().catch(() => {}); // the server may be the very thing that died
    }
  });
