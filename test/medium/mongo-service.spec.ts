import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientSession, MongoBulkWriteError, MongoNetworkError } from 'mongodb';
import mongoose from 'mongoose';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { whileFailing } from '../support/fail-point.js';
import { LosingProxy } from '../support/losing-proxy.js';
import { useMongoModule } from '../support/mongo-module.js';
import { until } from '../support/until.js';
import { UnreliableNetwork } from '../support/unreliable-network.js';

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
      // not the ten seconds that it has by default
      expect(Date.now() - startedAt).toBeLessThan(9_000);
    } finally {
      await blocker.abortTransaction();
      await blocker.endSession();
    }
    expect(await read()).toBe(0);
  });

  it('survives a commit whose connection breaks twice: it is asked again, and counts once', async () => {
    const appName = `lost-commit-${database.dbName}`;
    const connection = await mongoose.createConnection(database.uri, { dbName: database.dbName, appName }).asPromise();
    const unlucky = new MongoService(connection);
    const counters = unlucky.collection<Counter>('counters');
    const data = { failCommands: ['commitTransaction'], closeConnection: true, appName };
    const failed = await whileFailing(mongo.db, { times: 2 }, data, () =>
      unlucky.transaction((session) => counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session })),
    );
    await connection.close();
    expect(failed).toBe(2);
    expect(await read()).toBe(1);
  });

  it.each([
    ['while no new connection can be opened', 2_000, {}],
    // asking again ends in a MongoServerSelectionError, which has no label
    ['while no server can be found', 5_000, { serverSelectionTimeoutMS: 1_500, heartbeatFrequencyMS: 500 }],
  ])('does not run again on top of a commit whose answer was lost, %s', async (_, refusesForMs, options) => {
    const proxy = await LosingProxy.start(database);
    const connection = await mongoose.createConnection(proxy.uri, { dbName: database.dbName, ...options }).asPromise();
    const unlucky = new MongoService(connection);
    const counters = unlucky.collection<Counter>('counters');
    let runs = 0;
    try {
      proxy.loseNextCommit(refusesForMs);
      await unlucky.transaction(async (session) => {
        runs++;
        await counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session });
      });
      expect(proxy.lost).toBe(1);
      expect(proxy.refused).toBeGreaterThan(0);
    } finally {
      await connection.close();
      await proxy.close();
    }
    expect(runs).toBe(1);
    expect(await read()).toBe(1);
  });

  it('runs again, and counts once, when a connection breaks under a bulkWrite or while it is opened for one', async () => {
    const appName = `lost-write-${database.dbName}`;
    const connection = await mongoose.createConnection(database.uri, { dbName: database.dbName, appName }).asPromise();
    const unlucky = new MongoService(connection);
    const counters = unlucky.collection<Counter>('counters');
    let attempts = 0;
    try {
      await unlucky.transaction(async (session) => {
        await counters.bulkWrite([{ updateOne: { filter: { _id: 'a' }, update: { $inc: { n: 1 } } } }], { session });
        // as the driver throws it when the new connection is reset: wrapped, and without the label of a transient error
        if (++attempts === 1) throw new MongoBulkWriteError(new MongoNetworkError('read ECONNRESET'), {} as never);
      });
    } finally {
      await connection.close();
    }
    expect(attempts).toBe(2);
    expect(await read()).toBe(1);
  });

  it('runs again, and counts once, when a command meets a connection that the server had just ended', async () => {
    let attempts = 0;
    await mongo.transaction(async (session) => {
      await mongo.collection<Counter>('counters').updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session });
      // as it comes through the driver
      if (++attempts === 1) {
        throw Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' });
      }
    });
    expect(attempts).toBe(2);
    expect(await read()).toBe(1);
  });

  it('gives up at its deadline when there is no server that could hear the abort', async () => {
    const proxy = await LosingProxy.start(database);
    const bounds = { serverSelectionTimeoutMS: 12_000, heartbeatFrequencyMS: 500 };
    const connection = await mongoose.createConnection(proxy.uri, { dbName: database.dbName, ...bounds }).asPromise();
    const unlucky = new MongoService(connection);
    const counters = unlucky.collection<Counter>('counters');
    try {
      const startedAt = Date.now();
      const attempt = unlucky.transaction(
        async (session) => {
          await counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session });
          await sleep(320); // so that no time is left for another attempt
          proxy.refuseFor(40_000);
          await counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session });
        },
        { timeoutMs: 300 },
      );
      await expect(attempt).rejects.toMatchObject({ code: 'database_unavailable' });
      expect(Date.now() - startedAt).toBeLessThan(9_000);
    } finally {
      await connection.close();
      await proxy.close();
    }
    expect(await read()).toBe(0);
  });

  it('runs again after a command that the driver never answers, and gives up at its deadline', async () => {
    const sockets: Socket[] = [];
    const onSocket = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
    subscribe('net.client.socket', onSocket);
    const connection = await mongoose.createConnection(database.uri, { dbName: database.dbName }).asPromise();
    let isWatched = false;
    connection.getClient().on('serverHeartbeatStarted', ({ awaited }) => (isWatched ||= awaited));
    const unlucky = new MongoService(connection);
    const counters = unlucky.collection<Counter>('counters');
    const addOne = (timeoutMs: number, meanwhile: () => void = () => {}): Promise<void> =>
      unlucky.transaction(
        async (session) => {
          await counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session });
          meanwhile();
          await counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session });
        },
        { timeoutMs },
      );
    // the driver hears of it in another turn of the loop, and has sent the command by then
    const cutAll = (): void => sockets.splice(0).forEach((socket) => socket.destroy());
    try {
      await addOne(10_000);
      // as when a mongod is killed, the one who watches the server hears of it, too
      await until(() => isWatched || null);
      let attempts = 0;
      await addOne(10_000, () => {
        if (++attempts === 1) cutAll();
      });
      expect(attempts).toBeGreaterThan(1);
      const startedAt = Date.now();
      await expect(addOne(300, cutAll)).rejects.toMatchObject({ code: 'database_unavailable' });
      expect(Date.now() - startedAt).toBeLessThan(9_000);
      await addOne(10_000);
    } finally {
      unsubscribe('net.client.socket', onSocket);
      await connection.close(true);
    }
    expect(await read()).toBe(6);
  });

  it('leaves no row locked when the network loses its connections in the middle, and the process lives on', async () => {
    const network = await UnreliableNetwork.start(database);
    const dbName = database.dbName;
    const bounds = { connectTimeoutMS: 2_000, heartbeatFrequencyMS: 500, serverSelectionTimeoutMS: 4_000 };
    const connection = await mongoose.createConnection(network.uri, { dbName, ...bounds }).asPromise();
    const lonely = new MongoService(connection);
    const counters = lonely.collection<Counter>('counters');
    const addOne = (session: ClientSession) =>
      mongo.collection<Counter>('counters').updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session });
    // whose first transaction ends what an earlier process of its name has left
    await mongo.transaction(addOne);
    const addTen = async (session: ClientSession): Promise<void> => {
      await counters.updateOne({ _id: 'a' }, { $inc: { n: 10 } }, { session });
      network.vanish();
      await counters.updateOne({ _id: 'a' }, { $inc: { n: 10 } }, { session });
    };
    try {
      const failure = lonely.transaction(addTen, { timeoutMs: 4_000 });
      await expect(failure).rejects.toMatchObject({ code: 'database_unavailable' });
      network.appear();
      const startedAt = Date.now();
      await mongo.transaction(addOne);
      expect(Date.now() - startedAt).toBeLessThan(9_000);
    } finally {
      // first, or the driver says goodbye over connections that nobody reads
      await network.close();
      await connection.close();
    }
    expect(await read()).toBe(2);
  });
});
