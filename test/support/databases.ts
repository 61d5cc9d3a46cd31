import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';

/** Deleting this number of documents costs about as much as creating collections and indexes. */
const MAX_DOCUMENTS = 5_000;

/** Empty databases of closed apps. Creating their collections and indexes costs half a second of CPU. */
const returned: string[] = [];

export function newDatabaseName(): string {
  return `test_${process.pid}_${randomBytes(6).toString('hex')}`;
}

/** Returns the name of an empty or missing database. */
export function takeDatabase(): string {
  return returned.pop() ?? newDatabaseName();
}

/** Makes the database of a closed app ready for the next one: empties the `declared` collections, and drops all others. */
export async function returnDatabase(uri: string, name: string, declared: ReadonlySet<string>): Promise<void> {
  const client = await MongoClient.connect(uri);
  try {
    const db = client.db(name);
    const { objects } = await db.stats();
    if (objects > MAX_DOCUMENTS) {
      await db.dropDatabase();
      return;
    }
    const found = await db.collections();
    await Promise.all(found.map((one) => (declared.has(one.collectionName) ? one.deleteMany() : one.drop())));
    returned.push(name);
  } finally {
    await client.close();
  }
}
