import type { Db } from 'mongodb';

/** Drops every collection but `kept`, with its indexes: unlike `dropDatabase`, the role readWrite allows it. Not atomic. */
export async function dropCollections(db: Db, kept: string): Promise<void> {
  const found = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
  for (const { name } of found) {
    if (name !== kept && !name.startsWith('system.'))
      await db.dropCollection(name, { writeConcern: { w: 'majority' } });
  }
}
