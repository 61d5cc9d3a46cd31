import type { ClientSession } from 'mongodb';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { useMongoModule } from '../support/mongo-module.js';

type Row = { _id: number; n: number };

describe('the statements of a batch on a channel of their own', () => {
  const database = useMongoModule();
  let mongo: MongoService;
  let rows: ReturnType<typeof mongo.collection<Row>>;

  const add = async (session: ClientSession, n = 1): Promise<Row[]> => {
    const found = await mongo.batch.find<Row>(rows, { _id: 1 }, {}, 1, session);
    await mongo.batch.update(rows, [{ q: { _id: 1 }, u: { $inc: { n } } }], session);
    return found;
  };
  const used = () => mongo.channels.counts.commands;
  /** transactions until one went over a channel */
  const warmUp = async (): Promise<void> => {
    const before = used();
    for (let round = 0; used() === before; round++) {
      if (round === 200) throw new Error('no channel was ever opened');
      await mongo.transaction((session) => add(session, 0));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const failOnce = (data: object) =>
    mongo.client
      .db('admin')
      .command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data: { failCommands: ['update'], ...data } });

  beforeAll(async () => {
    mongo = (await database.open()).get(MongoService);
    rows = mongo.collection<Row>('channel_rows');
    await mongo.db.createCollection('channel_rows');
  });
  beforeEach(async () => {
    await rows.deleteMany({});
    await rows.insertOne({ _id: 1, n: 0 });
    await warmUp();
  });
  const stored = async () => (await rows.findOne({ _id: 1 }))?.n;

  it('belong to the transaction: they see it, and go with it', async () => {
    const before = used();
    const seen = await mongo.transaction(async (session) => {
      await add(session, 5);
      return mongo.batch.find<Row>(rows, { _id: 1 }, {}, 1, session);
    });
    expect(seen).toEqual([{ _id: 1, n: 5 }]);
    const failed = mongo.transaction(async (session) => {
      await add(session, 7);
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    expect(await stored()).toBe(5);
    // of five statements the first of each transaction is the driver's
    expect(used() - before).toBe(3);
  });

  it.each([
    ['whose connection breaks', { closeConnection: true }],
    ['whose server steps down', { errorCode: 10107, errorLabels: ['TransientTransactionError'] }],
  ])('run again in a transaction %s, and count once', async (_, failure) => {
    let attempts = 0;
    await failOnce(failure);
    await mongo.transaction((session) => {
      attempts++;
      return add(session);
    });
    expect(attempts).toBe(2);
    expect(await stored()).toBe(1);
    // and the way is open again
    await warmUp();
  });

  it('do not wait for a server that the driver has given up', async () => {
    let attempts = 0;
    await failOnce({ blockConnection: true, blockTimeMS: 20_000 });
    const startedAt = Date.now();
    const { me } = await mongo.db.command({ hello: 1 });
    const done = mongo.transaction((session) => {
      attempts++;
      return add(session);
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    mongo.client.emit('serverHeartbeatFailed', { connectionId: me } as never);
    await done;
    expect(attempts).toBe(2);
    expect(await stored()).toBe(1);
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });

  it('tell metrics and the slow-query log like those of the driver', async () => {
    const heard: string[] = [];
    const hear = ({ commandName, requestId }: { commandName: string; requestId: number }) => {
      if (requestId < 0) heard.push(commandName);
    };
    mongo.client.on('commandStarted', hear).on('commandSucceeded', hear);
    await mongo.transaction((session) => add(session));
    mongo.client.off('commandStarted', hear).off('commandSucceeded', hear);
    expect(heard).toEqual(['update', 'update']);
  });

  it('of transactions at the same time do not mix', async () => {
    await rows.insertMany(Array.from({ length: 20 }, (_, index) => ({ _id: 100 + index, n: 0 })));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        mongo.transaction(async (session) => {
          const _id = 100 + index;
          await mongo.batch.find(rows, { _id }, {}, 1, session);
          await mongo.batch.update(rows, [{ q: { _id }, u: { $inc: { n: index } } }], session);
          return mongo.batch.find<Row>(rows, { _id }, {}, 1, session);
        }),
      ),
    );
    expect(answers.flat().map(({ _id, n }) => n - _id)).toEqual(Array<number>(20).fill(-100));
  });
});
