import { type Db, MongoClient } from 'mongodb';
import { createConnection } from 'mongoose';
import type { AppConfig } from '../config/app-config.js';
import { connectionOptions } from '../platform/mongo/connection-options.js';
import { checkDeployment } from '../platform/mongo/deployment-check.js';
import { ensureIndexes } from '../platform/mongo/indexes.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { withDatabase, withServicesOf } from './cli-context.js';

/** The database to fill, and how to give it its indexes. */
export interface SeedTarget {
  db: Db;
  ensureIndexes(): Promise<void>;
}

export type WithSeedTarget = (work: (target: SeedTarget, stop: AbortSignal) => Promise<void>) => Promise<void>;

/** The configured database through a plain client: no command monitor, and no time limit on the commands. */
export const withSeedTarget: WithSeedTarget = (work) =>
  withDatabase(async (config, stop) => {
    const { uri, database: dbName, serverSelectionTimeoutMs } = config.mongo;
    await checkDeployment({ uri: uri!, dbName, serverSelectionTimeoutMs });
    const client = new MongoClient(uri!, { maxPoolSize: 8, serverSelectionTimeoutMS: serverSelectionTimeoutMs });
    try {
      await work({ db: client.db(dbName), ensureIndexes: () => buildDeclaredIndexes(config) }, stop);
    } finally {
      await client.close().catch(() => {}); // the server may be the very thing that died
    }
  });

/** On a connection of its own: building the indexes of a million posts takes longer than any request may. */
function buildDeclaredIndexes(config: AppConfig): Promise<void> {
  return withServicesOf(config, async (app) => {
    const options = { ...connectionOptions(config.mongo), socketTimeoutMS: 0, monitorCommands: false };
    const connection = await createConnection(config.mongo.uri!, options).asPromise();
    try {
      for (const model of Object.values(app.get(MongoService).connection.models)) {
        connection.model(model.modelName, model.schema, model.collection.collectionName);
      }
      await ensureIndexes(connection);
    } finally {
      await connection.close();
    }
  });
}
