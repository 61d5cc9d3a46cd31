import { type Db, MongoClient } from 'mongodb';
import { newDatabaseName } from './databases.js';

export interface TestDatabase {
  /** URI of the server, without a database name. */
  readonly uri: string;
  /** Unique to this spec file. */
  readonly dbName: string;
  readonly client: MongoClient;
  readonly db: Db;
}

/** Provides a database for the calling spec file (or describe block), connected before its tests and dropped after them. */
export function useDatabase(): TestDatabase {
  const uri = process.env.TEST_MONGODB_URI;
  if (!uri)
    throw new Error('TEST_MONGODB_URI is not set: run the specs with `npm run jest -- <path>`, which starts a mongod');
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 30_000, writeConcern: { w: 'majority' } });
  const dbName = newDatabaseName();
  const db = client.db(dbName);

  beforeAll(async () => {
    await client.connect();
  });
  afterAll(async () => {
    await db.dropDatabase();
    await client.close();
  });
  return { uri, dbName, client, db };
}

/** Returns a mongod binary for specs that start servers. */
export function testMongodBinary(): string {
  const binary = process.env.TEST_MONGOD_BINARY ?? process.env.MONGOD_BINARY;
  if (!binary) throw new Error('set MONGOD_BINARY: with TEST_MONGODB_URI given, no binary is looked for');
  return binary;
}
