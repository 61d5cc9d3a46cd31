import { MongoServerError } from 'mongodb';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { useMongoModule } from '../support/mongo-module.js';

interface Counter {
  _id: string;
  n: number;
}

describe('MongoService.transaction', () => {
  const database = useMongoModule();
  let mongo: MongoService;

  beforeAll(async () => {
    mongo = (await database.open()).get(MongoService);
    await mongo.db.createCollection('counters');
  });
  beforeEach(async () => {
    await mongo.collection<Counter>('counters').deleteMany({});
    await mongo.collection<Counter>('counters').insertOne({ _id: 'a', n: 0 });
  });

  const read = async () => (await mongo.collection<Counter>('counters').findOne({ _id: 'a' }))?.n;

  it('writes everything or nothing, and lets through what the function throws', async () => {
    const failure = mongo.transaction(async (session) => {
      await mongo.collection<Counter>('counters').updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session });
      throw new Error('changed my mind');
    });
    await expect(failure).rejects.toThrow('changed my mind');
    expect(await read()).toBe(0);
  });

  it('loses no update when many read, add and write the same document at once', async () => {
    const addOne = () =>
      mongo.transaction(async (session) => {
        const counters = mongo.collection<Counter>('counters');
        const before = await counters.findOne({ _id: 'a' }, { session });
        await counters.updateOne({ _id: 'a' }, { $set: { n: before!.n + 1 } }, { session });
      });
    await Promise.all(Array.from({ length: 8 }, addOne));
    expect(await read()).toBe(8);
  });

  it('retries a conflict met inside a bulkWrite', async () => {
    const addOne = () =>
      mongo.transaction((session) =>
        mongo
          .collection<Counter>('counters')
          .bulkWrite([{ updateOne: { filter: { _id: 'a' }, update: { $inc: { n: 1 } } } }], { session }),
      );
    await Promise.all(Array.from({ length: 8 }, addOne));
    expect(await read()).toBe(8);
  });

  it('gives up in bounded time on a conflict that does not end, as overloaded', async () => {
    const counters = mongo.collection<Counter>('counters');
    const blocker = mongo.client.startSession();
    blocker.startTransaction();
    try {
      await counters.updateOne({ _id: 'a' }, { $inc: { n: 100 } }, { session: blocker });
      const startedAt = Date.now();
      const attempt = mongo.transaction(
        (session) => counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session }),
        { timeoutMs: 500 },
      );
      await expect(attempt).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 });
      expect(Date.now() - startedAt).toBeLessThan(1_500);
    } finally {
      await blocker.abortTransaction();
      await blocker.endSession();
    }
    expect(await read()).toBe(0);
  });

  it('survives a commit whose answer is lost: it is asked again, and counts once', async () => {
    const admin = database.client.db('admin');
    const closeOnce = { failCommands: ['commitTransaction'], closeConnection: true };
    try {
      await admin.command({ configureFailPoint: 'failCommand', mode: { times: 2 }, data: closeOnce });
    } catch (error) {
      // Only a server with enableTestCommands has fail points; the one of the tests has.
      if (error instanceof MongoServerError && error.codeName === 'CommandNotFound')
        throw new Error('fail points are off', { cause: error });
      throw error;
    }
    try {
      await mongo.transaction((session) =>
        mongo.collection<Counter>('counters').updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session }),
      );
    } finally {
      await admin.command({ configureFailPoint: 'failCommand', mode: 'off' });
    }
    expect(await read()).toBe(1);
  });
});
