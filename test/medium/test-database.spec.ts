import { useDatabase } from '../support/mongo.js';

describe('the test database', () => {
  const { db, client } = useDatabase();

  it('is a real replica set with transactions', async () => {
    await db.createCollection('things');
    await client.withSession((session) =>
      session.withTransaction(async () => {
        await db.collection('things').insertOne({ name: 'a' }, { session });
        await db.collection('things').insertOne({ name: 'b' }, { session });
      }),
    );
    expect(await db.collection('things').countDocuments()).toBe(2);
  });
});
