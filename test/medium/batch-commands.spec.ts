import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import type { Transaction } from '../../src/platform/mongo/transaction.js';
import { useMongoModule } from '../support/mongo-module.js';

type Row = { _id: number; stats: { n: number } };

describe('the commands of a batch', () => {
  const database = useMongoModule();
  let mongo: MongoService;
  let rows: ReturnType<typeof mongo.collection<Row>>;

  beforeAll(async () => {
    mongo = (await database.open()).get(MongoService);
    await mongo.db.createCollection('batch_rows', {
      validator: { $jsonSchema: { properties: { stats: { properties: { n: { bsonType: 'int', minimum: 0 } } } } } },
    });
    rows = mongo.collection<Row>('batch_rows');
  });
  beforeEach(async () => {
    await rows.deleteMany({});
    await rows.insertMany([1, 2, 3].map((_id) => ({ _id, stats: { n: _id } })));
  });
  const stored = async () => (await rows.find().sort({ _id: 1 }).toArray()).map(({ _id, stats }) => [_id, stats.n]);

  it('read and write in the snapshot of the transaction, all or nothing', async () => {
    const seen = await mongo.transaction(async (tx) => {
      await tx.insert(rows, [{ _id: 4, stats: { n: 4 } }]);
      await tx.update(rows, [{ q: { _id: { $in: [1, 4] } }, u: { $inc: { 'stats.n': 1 } }, multi: true }]);
      await tx.delete(rows, [2]);
      return tx.find<Row>(rows, { _id: { $in: [1, 2, 3, 4] } }, { stats: 1 }, 4);
    });
    expect(seen.map(({ _id, stats }) => [_id, stats.n]).sort()).toEqual([
      [1, 2],
      [3, 3],
      [4, 5],
    ]);
    expect(await stored()).toEqual([
      [1, 2],
      [3, 3],
      [4, 5],
    ]);
  });

  it('find more rows than the default first batch of a cursor', async () => {
    const many = Array.from({ length: 400 }, (_, index) => ({ _id: 1_000 + index, stats: { n: 1 } }));
    await rows.insertMany(many);
    const ids = many.map(({ _id }) => _id);
    const found = await mongo.transaction((tx) => tx.find<Row>(rows, { _id: { $in: ids } }, { _id: 1 }, ids.length));
    expect(found).toHaveLength(400);
  });

  it('refuse rows that do not fit into one reply, which would be incomplete', async () => {
    const big = rows as unknown as ReturnType<typeof mongo.collection<{ _id: number; text: string }>>;
    await big.insertMany([10, 11, 12].map((_id) => ({ _id, text: 'x'.repeat(7_000_000) })));
    const found = mongo.transaction((tx) => tx.find(rows, { _id: { $gte: 10 } }, {}, 3));
    await expect(found).rejects.toThrow('do not fit into one reply');
  });

  it.each([
    ['a duplicate key', 11_000, (tx: Transaction) => tx.insert(rows, [{ _id: 3, stats: { n: 1 } }])],
    [
      'a counter that would be negative',
      121,
      (tx: Transaction) => tx.update(rows, [{ q: { _id: 3 }, u: { $inc: { 'stats.n': -9 } } }]),
    ],
  ])('fail as a whole with the code of %s: an error in a reply must not look like success', async (_, code, write) => {
    const written = mongo.transaction(async (tx) => {
      await tx.update(rows, [{ q: { _id: 1 }, u: { $inc: { 'stats.n': 5 } } }]);
      await write(tx);
    });
    await expect(written).rejects.toMatchObject({ code, name: 'MongoServerError' });
    expect(await stored()).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  it('run again after a write conflict like any other transaction', async () => {
    let attempts = 0;
    await mongo.transaction(async (tx) => {
      attempts++;
      await tx.find(rows, { _id: 1 }, {}, 1);
      if (attempts === 1) await rows.updateOne({ _id: 1 }, { $inc: { 'stats.n': 10 } });
      await tx.update(rows, [{ q: { _id: 1 }, u: { $inc: { 'stats.n': 1 } } }]);
    });
    expect(attempts).toBeGreaterThan(1);
    expect((await stored())[0]).toEqual([1, 12]);
  });
});
