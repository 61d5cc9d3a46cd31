import type { Db } from 'mongodb';
import { type Connection, createConnection } from 'mongoose';
import type { AppConfig } from '../config/app-config.js';
import { connectionOptions } from '../platform/mongo/connection-options.js';
import { ensureIndexes } from '../platform/mongo/indexes/indexes.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { openServices, withDatabase } from './cli-context.js';

/** The database to fill or to read, and a function that creates its indexes. */
export interface SeedTarget {
  db: Db;
  ensureIndexes(): Promise<void>;
}

export type WithSeedTarget = (work: (target: SeedTarget, stop: AbortSignal) => Promise<void>) => Promise<void>;

/**
 * Opens a plain connection to the configured database while the documents are stored: a command monitor would see thousands of batches,
 * and services would read collections without indexes.
 */
export const withSeedTarget = (
  work: (target: SeedTarget & { uri: string }, stop: AbortSignal) => Promise<void>,
  settings?: Record<string, string>,
): Promise<void> =>
  withDatabase(
    async (config, stop) => {
      const { uri } = config.mongo;
      const options = { ...connectionOptions(config.mongo), monitorCommands: false };
      const connection = await createConnection(uri!, options).asPromise();
      try {
        await work({ db: connection.db!, uri: uri!, ensureIndexes: () => buildDeclared(connection, config) }, stop);
      } finally {
        await connection.close().catch(() => {}); // the server itself may have crashed
      }
    },
    settings,
    'any format',
  );

/** Loads the application for its models, closes it, and builds the indexes of the models. */
async function buildDeclared(connection: Connection, config: AppConfig): Promise<void> {
  const app = await openServices(config, ['fatal', 'error']);
  try {
    for (const model of Object.values(app.get(MongoService).connection.models)) {
      connection.model(model.modelName, model.schema, model.collection.collectionName);
    }
  } finally {
    await app.close();
  }
  await ensureIndexes(connection);
}
