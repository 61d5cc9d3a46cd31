import type { Db } from 'mongodb';

/** Drops all collections except `kept`, with their indexes; not atomic. Unlike `dropDatabase`, this needs only the role readWrite. */
export async function dropCollections(db: Db, kept: string): Promise<void> {
  const found = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
  for (const { name } of found) {
    if (name !== kept && !name.startsWith('system.'))
      await db.dropCollection(name, { writeConcern: { w: 'majority' } });
  }
}
