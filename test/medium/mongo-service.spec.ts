import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionPoolClearedEvent, MongoBulkWriteError, MongoNetworkError } from 'mongodb';
import mongoose from 'mongoose';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import type { Transaction } from '../../src/platform/mongo/transaction.js';
import { takeClock } from '../support/clock.js';
import { whileFailing } from '../support/fail-point.js';
import { LosingProxy } from '../support/losing-proxy.js';
import { useMongoModule } from '../support/mongo-module.js';
import { until } from '../support/until.js';
import { UnreliableNetwork } from '../support/unreliable-network.js';

/** Shorter than the 60 s after which MongoDB ends an open transaction, because the rows must be unlocked earlier. */
const WHILE_OPEN = { timeoutMs: 50_000 };

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

  const readCounter = async () => (await mongo.collection<Counter>('counters').findOne({ _id: 'a' }))?.n;

  it('rolls back and rejects with the error of the function', async () => {
    const failure = mongo.transaction(async (tx) => {
      await mongo.collection<Counter>('counters').updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: tx.session });
      throw new Error('changed my mind');
    });
    await expect(failure).rejects.toThrow('changed my mind');
    expect(await readCounter()).toBe(0);
  });

  it('loses no update when many write the same document concurrently', async () => {
    const addOne = () =>
      mongo.transaction(async (tx) => {
        const counters = mongo.collection<Counter>('counters');
        const before = await counters.findOne({ _id: 'a' }, { session: tx.session });
        await counters.updateOne({ _id: 'a' }, { $set: { n: before!.n + 1 } }, { session: tx.session });
      });
    await Promise.all(Array.from({ length: 8 }, addOne));
    expect(await readCounter()).toBe(8);
  });

  it('calls back after the commit, for the attempt that committed', async () => {
    const seen: unknown[] = [];
    let attempts = 0;
    await mongo.transaction(async (tx) => {
      const attempt = ++attempts;
      const counters = mongo.collection<Counter>('counters');
      tx.afterCommit(() => seen.push([attempt, tx.session.inTransaction()]));
      await counters.findOne({ _id: 'a' }, { session: tx.session });
      if (attempt === 1) await counters.updateOne({ _id: 'a' }, { $inc: { n: 10 } });
      await counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: tx.session });
      expect(seen).toEqual([]);
    });
    expect(seen).toEqual([[attempts, false]]);
    expect([attempts > 1, await readCounter()]).toEqual([true, 11]);
    const failed = mongo.transaction((tx) => {
      tx.afterCommit(() => seen.push('aborted'));
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    expect(seen).toHaveLength(1);
  });

  it('retries a conflict met inside a bulkWrite', async () => {
    const addOne = () =>
      mongo.transaction((tx) =>
        mongo
          .collection<Counter>('counters')
          .bulkWrite([{ updateOne: { filter: { _id: 'a' }, update: { $inc: { n: 1 } } } }], { session: tx.session }),
      );
    await Promise.all(Array.from({ length: 8 }, addOne));
    expect(await readCounter()).toBe(8);
  });

  it('stops at its deadline on a lasting conflict, as overloaded', async () => {
    const counters = mongo.collection<Counter>('counters');
    const blocker = mongo.client.startSession();
    blocker.startTransaction();
    const clock = takeClock();
    let attempts = 0;
    try {
      await counters.updateOne({ _id: 'a' }, { $inc: { n: 100 } }, { session: blocker });
      const attempt = mongo.transaction(
        (tx) => {
          // The deadline passes during the third attempt.
          if (++attempts === 3) clock.advance(50_000);
          return counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: tx.session });
        },
        { timeoutMs: 50_000 },
      );
      await expect(attempt).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 });
      expect(attempts).toBe(3);
    } finally {
      clock.release();
      await blocker.abortTransaction();
      await blocker.endSession();
    }
    expect(await readCounter()).toBe(0);
  });

  it('sends nothing after its deadline, and aborts after its function has ended', async () => {
    const options = { dbName: database.dbName, monitorCommands: true };
    const connection = await mongoose.createConnection(database.uri, options).asPromise();
    const slow = new MongoService(connection);
    const counters = slow.collection<Counter>('counters');
    const sent: string[] = [];
    slow.client.on('commandStarted', ({ commandName }) => sent.push(commandName));
    let [begun, release]: ((value?: unknown) => void)[] = [];
    const hasBegun = new Promise((resolve) => (begun = resolve));
    const released = new Promise((resolve) => (release = resolve));
    let work: Promise<unknown> = Promise.resolve();
    let raw: Promise<unknown> = Promise.resolve();
    const attempt = slow.transaction((tx) => {
      work = (async () => {
        await counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: tx.session });
        begun!();
        await released;
        raw = tx.insert(counters, [{ _id: 'raw', n: 0 }]);
        await counters.insertOne({ _id: 'late', n: 0 }, { session: tx.session });
      })();
      return work;
    }, WHILE_OPEN);
    const clock = takeClock();
    try {
      await hasBegun;
      clock.advance(WHILE_OPEN.timeoutMs);
      slow.client.emit('connectionPoolCleared', {} as ConnectionPoolClearedEvent);
      await expect(attempt).rejects.toMatchObject({ code: 'database_unavailable' });
    } finally {
      clock.release();
    }
    expect(sent).not.toContain('abortTransaction');
    release!();
    await expect(work).rejects.toThrow('This transaction is over.');
    await expect(raw).rejects.toThrow('This transaction is over.');
    await until(() => sent.includes('abortTransaction') || null);
    await connection.close();
    expect(sent).not.toContain('insert');
    expect(await mongo.collection<Counter>('counters').find().toArray()).toEqual([{ _id: 'a', n: 0 }]);
  });

  it('repeats a commit whose connection breaks twice, and counts once', async () => {
    const appName = `lost-commit-${database.dbName}`;
    const connection = await mongoose.createConnection(database.uri, { dbName: database.dbName, appName }).asPromise();
    const unlucky = new MongoService(connection);
    const counters = unlucky.collection<Counter>('counters');
    const data = { failCommands: ['commitTransaction'], closeConnection: true, appName };
    const failed = await whileFailing(mongo.db, { times: 2 }, data, () =>
      unlucky.transaction((tx) => counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: tx.session })),
    );
    await connection.close();
    expect(failed).toBe(2);
    expect(await readCounter()).toBe(1);
  });

  it.each([
    ['while no new connection can be opened', 1_000, {}],
    // A retry fails with a MongoServerSelectionError, which has no label.
    ['while no server can be found', 2_500, { serverSelectionTimeoutMS: 1_000, heartbeatFrequencyMS: 500 }],
  ])('does not run again after a commit whose response was lost, %s', async (_, refusesForMs, options) => {
    const proxy = await LosingProxy.start(database);
    const connection = await mongoose.createConnection(proxy.uri, { dbName: database.dbName, ...options }).asPromise();
    const unlucky = new MongoService(connection);
    const counters = unlucky.collection<Counter>('counters');
    let runs = 0;
    try {
      proxy.loseNextCommit(refusesForMs);
      await unlucky.transaction(async (tx) => {
        runs++;
        await counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: tx.session });
      });
      expect(proxy.lost).toBe(1);
      expect(proxy.refused).toBeGreaterThan(0);
    } finally {
      await connection.close();
      await proxy.close();
    }
    expect(runs).toBe(1);
    expect(await readCounter()).toBe(1);
  });

  it('runs again when a connection breaks under a bulkWrite', async () => {
    const appName = `lost-write-${database.dbName}`;
    const connection = await mongoose.createConnection(database.uri, { dbName: database.dbName, appName }).asPromise();
    const unlucky = new MongoService(connection);
    const counters = unlucky.collection<Counter>('counters');
    let attempts = 0;
    try {
      await unlucky.transaction(async (tx) => {
        await counters.bulkWrite([{ updateOne: { filter: { _id: 'a' }, update: { $inc: { n: 1 } } } }], {
          session: tx.session,
        });
        // The driver throws this when the new connection is reset: wrapped, and without the label of a transient error.
        if (++attempts === 1) throw new MongoBulkWriteError(new MongoNetworkError('read ECONNRESET'), {} as never);
      });
    } finally {
      await connection.close();
    }
    // More than 2 if the server, which other specs also load, rolls an attempt back.
    expect(attempts).toBeGreaterThan(1);
    expect(await readCounter()).toBe(1);
  });

  it('runs again when the server has just closed a connection', async () => {
    let attempts = 0;
    await mongo.transaction(async (tx) => {
      await mongo.collection<Counter>('counters').updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: tx.session });
      // The driver passes the error on like this.
      if (++attempts === 1) {
        throw Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' });
      }
    });
    expect(attempts).toBeGreaterThan(1);
    expect(await readCounter()).toBe(1);
  });

  it('stops at its deadline when no server is available for the abort', async () => {
    const proxy = await LosingProxy.start(database);
    // An abort that waits for a server takes longer than this test may.
    const bounds = { serverSelectionTimeoutMS: 300_000, heartbeatFrequencyMS: 500 };
    const connection = await mongoose.createConnection(proxy.uri, { dbName: database.dbName, ...bounds }).asPromise();
    const unlucky = new MongoService(connection);
    const counters = unlucky.collection<Counter>('counters');
    try {
      const attempt = unlucky.transaction(
        async (tx) => {
          await counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: tx.session });
          await sleep(320); // No time remains for another attempt.
          proxy.refuseFor(300_000);
          await counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: tx.session });
        },
        { timeoutMs: 300 },
      );
      await expect(attempt).rejects.toMatchObject({ code: 'database_unavailable' });
    } finally {
      // The driver does not close before it has sent the abort.
      proxy.refuseFor(0);
      await connection.close();
      await proxy.close();
    }
    expect(await readCounter()).toBe(0);
  });

  it('runs again after a command that the driver never completes', async () => {
    const sockets: Socket[] = [];
    const onSocket = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
    subscribe('net.client.socket', onSocket);
    const connection = await mongoose.createConnection(database.uri, { dbName: database.dbName }).asPromise();
    let isWatched = false;
    connection.getClient().on('serverHeartbeatStarted', ({ awaited }) => (isWatched ||= awaited));
    const unlucky = new MongoService(connection);
    const counters = unlucky.collection<Counter>('counters');
    const addOne = (timeoutMs: number, onUpdate: () => void = () => {}): Promise<void> =>
      unlucky.transaction(
        async (tx) => {
          await counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: tx.session });
          onUpdate();
          await counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: tx.session });
        },
        { timeoutMs },
      );
    // The driver notices in a later iteration of the event loop, after it has sent the command.
    const cutAll = (): void => sockets.splice(0).forEach((socket) => socket.destroy());
    try {
      await addOne(10_000);
      // The server's monitor notices, too, as for a killed mongod.
      await until(() => isWatched || null);
      let attempts = 0;
      await addOne(10_000, () => {
        if (++attempts === 1) cutAll();
      });
      expect(attempts).toBeGreaterThan(1);
      await expect(addOne(300, cutAll)).rejects.toMatchObject({ code: 'database_unavailable' });
      await addOne(10_000);
    } finally {
      unsubscribe('net.client.socket', onSocket);
      await connection.close(true);
    }
    expect(await readCounter()).toBe(6);
  });

  it('leaves no row locked when the network loses its connections', async () => {
    const network = await UnreliableNetwork.start(database);
    const dbName = database.dbName;
    const bounds = { connectTimeoutMS: 2_000, heartbeatFrequencyMS: 500, serverSelectionTimeoutMS: 4_000 };
    const connection = await mongoose.createConnection(network.uri, { dbName, ...bounds }).asPromise();
    const lonely = new MongoService(connection);
    const counters = lonely.collection<Counter>('counters');
    const addOne = (tx: Transaction) =>
      mongo.collection<Counter>('counters').updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: tx.session });
    // The first transaction of `mongo` ends the open ones of an earlier process of its name.
    await mongo.transaction(addOne);
    const addTen = async (tx: Transaction): Promise<void> => {
      await counters.updateOne({ _id: 'a' }, { $inc: { n: 10 } }, { session: tx.session });
      network.vanish();
      await counters.updateOne({ _id: 'a' }, { $inc: { n: 10 } }, { session: tx.session });
    };
    try {
      const failure = lonely.transaction(addTen, { timeoutMs: 2_000 });
      await expect(failure).rejects.toMatchObject({ code: 'database_unavailable' });
      network.appear();
      await mongo.transaction(addOne, WHILE_OPEN);
    } finally {
      // Close the network first, or the driver waits to end its sessions over dead connections.
      await network.close();
      await connection.close();
    }
    expect(await readCounter()).toBe(2);
  });
});
