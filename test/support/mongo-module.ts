import type { ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { loadConfig } from '../../src/config/app-config.js';
import { ConfigModule } from '../../src/config/config.module.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { MongoModule } from '../../src/platform/mongo/mongo.module.js';
import { allowSlowTransactions, POOL_WAIT_MS } from './busy-machine.js';
import { type TestDatabase, useDatabase } from './mongo.js';

export interface TestMongo extends TestDatabase {
  /** Opens a module with its own connection, which the database sees as a further process. */
  open(environment?: Record<string, string>, more?: ModuleMetadata): Promise<TestingModule>;
}

/** Provides the real MongoModule over its own database. All opened instances are closed after the tests. */
export function useMongoModule(): TestMongo {
  const database = useDatabase();
  const opened: TestingModule[] = [];
  afterAll(async () => {
    for (const module of opened) await module.close();
  });
  const open = async (
    environment: Record<string, string> = {},
    { imports = [], providers = [] }: ModuleMetadata = {},
  ) => {
    const config = loadConfig({
      MONGODB_URI: database.uri,
      MONGODB_DATABASE: database.dbName,
      HTTP_WORKERS: '1',
      MONGODB_POOL_SIZE: '10',
      MONGODB_WAIT_QUEUE_TIMEOUT_MS: POOL_WAIT_MS,
      AUTH_TOKEN_SECRET: 'a secret of the tests that is long enough to be one',
      ...environment,
    });
    const all = [ConfigModule.with(config), MongoModule, ...imports];
    const module = await Test.createTestingModule({ imports: all, providers }).compile();
    opened.push(await module.init());
    allowSlowTransactions(module.get(MongoService));
    return module;
  };
  return { ...database, open };
}
