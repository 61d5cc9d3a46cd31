import { type Db, MongoClient } from 'mongodb';

/** Opens a connection for some reads at the start of a process or a command. */
export async function withClient<T>(
  { uri, database }: { uri?: string | undefined; database: string },
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const client = new MongoClient(uri!, { maxPoolSize: 1 });
  try {
    return await work(client.db(database));
  } finally {
    await client.close();
  }
}
