import mongoose, { type ConnectOptions } from 'mongoose';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import type { Transaction } from '../../src/platform/mongo/transaction.js';
import { whileFailing } from '../support/fail-point.js';
import { LosingProxy } from '../support/losing-proxy.js';
import { useDatabase } from '../support/mongo.js';
import { UnreliableNetwork } from '../support/unreliable-network.js';

type Row = { _id: number; n: number; text?: string };

const DUPLICATE_KEY = 11_000;
/** Shorter than the 60 s after which MongoDB ends an open transaction, because the rows must be unlocked earlier. */
const WHILE_OPEN = { timeoutMs: 50_000 };

describe('commands of a batch in a transaction', () => {
  const database = useDatabase();
  const connect = async (uri: string, more: ConnectOptions = {}) => {
    const settings = { dbName: database.dbName, monitorCommands: true, ...more };
    const connection = await mongoose.createConnection(uri, settings).asPromise();
    opened.push(connection);
    return new MongoService(connection);
  };
  const opened: mongoose.Connection[] = [];
  let mongo: MongoService;
  const rows = () => mongo.collection<Row>('rows');

  beforeAll(async () => {
    await database.db.createCollection('rows', {
      validator: { $jsonSchema: { properties: { n: { bsonType: 'int', minimum: 0 } } } },
    });
    mongo = await connect(database.uri);
  });
  beforeEach(async () => {
    await database.db.collection<Row>('rows').deleteMany({});
    await database.db.collection<Row>('rows').insertMany([1, 2, 3].map((_id) => ({ _id, n: _id })));
  });
  afterAll(async () => {
    for (const connection of opened) await connection.close();
  });
  const stored = async () =>
    (await database.db.collection<Row>('rows').find().sort({ _id: 1 }).toArray()).map((row) => [row._id, row.n]);
  const add = (tx: Transaction, _id: number, n: number) => tx.update(rows(), [{ q: { _id }, u: { $inc: { n } } }]);

  it('runs commands that were sent together in their order and commits them', async () => {
    const seen = await mongo.transaction(async (tx) => {
      const [, , , found] = await Promise.all([
        tx.insert(rows(), [{ _id: 4, n: 4 }]),
        tx.update(rows(), [{ q: { _id: { $in: [1, 4] } }, u: { $inc: { n: 1 } }, multi: true }]),
        tx.delete(rows(), [2]),
        tx.find<Row>(rows(), { _id: { $in: [1, 2, 3, 4] } }, { n: 1 }, 4),
      ]);
      expect(await stored()).toEqual([
        [1, 1],
        [2, 2],
        [3, 3],
      ]);
      return found.map(({ _id, n }) => [_id, n]);
    });
    const after = [
      [1, 2],
      [3, 3],
      [4, 5],
    ];
    expect(seen).toEqual(after);
    expect(await stored()).toEqual(after);
  });

  it.each([
    ['that exists already', DUPLICATE_KEY, (tx: Transaction) => tx.insert(rows(), [{ _id: 3, n: 1 }])],
    ['that the validator refuses', 121, (tx: Transaction) => add(tx, 2, -9)],
  ])('stores no command sent beside a row %s', async (_, code, fail) => {
    const written = mongo.transaction((tx) =>
      Promise.all([add(tx, 1, 5), fail(tx), tx.insert(rows(), [{ _id: 9, n: 9 }])]),
    );
    await expect(written).rejects.toMatchObject({ code, name: 'MongoServerError' });
    expect(await stored()).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    // The next transaction is not affected.
    await mongo.transaction((tx) => add(tx, 1, 1));
    expect((await stored())[0]).toEqual([1, 2]);
  });

  it('stores nothing when the server refuses a command before its transaction', async () => {
    const appName = `refused-${database.dbName}`;
    const unlucky = await connect(database.uri, { appName });
    // The first transaction records its session, with its own update.
    await unlucky.transaction((tx) => add(tx, 1, 0));
    const data = { failCommands: ['update'], errorCode: 2, appName };
    await whileFailing(database.db, { times: 1 }, data, async () => {
      const written = unlucky.transaction((tx) =>
        Promise.all([tx.insert(rows(), [{ _id: 8, n: 8 }]), add(tx, 1, 1), tx.insert(rows(), [{ _id: 9, n: 9 }])]),
      );
      await expect(written).rejects.toMatchObject({ code: 2 });
    });
    expect((await stored()).map(([id]) => id)).toEqual([1, 2, 3]);
  });

  it('rolls back and rejects with the error of the function', async () => {
    const written = mongo.transaction(async (tx) => {
      await add(tx, 1, 5);
      throw new Error('changed my mind');
    });
    await expect(written).rejects.toThrow('changed my mind');
    expect((await stored())[0]).toEqual([1, 1]);
  });

  it('refuses a command after its transaction has ended', async () => {
    let late: () => Promise<unknown> = async () => undefined;
    const written = mongo.transaction(async (tx) => {
      late = () => add(tx, 1, 100);
      await add(tx, 1, 5);
      throw new Error('changed my mind');
    });
    await expect(written).rejects.toThrow('changed my mind');
    await expect(late()).rejects.toThrow('This transaction is over.');
    expect((await stored())[0]).toEqual([1, 1]);
  });

  it('loses no update when many add to the same row concurrently', async () => {
    const addOne = () =>
      mongo.transaction(async (tx) => {
        const [row] = await tx.find<Row>(rows(), { _id: 1 }, { n: 1 }, 1);
        await tx.update(rows(), [{ q: { _id: 1 }, u: { $set: { n: row!.n + 1 } } }]);
      });
    await Promise.all(Array.from({ length: 8 }, addOne));
    expect((await stored())[0]).toEqual([1, 9]);
  });

  it('reads a reply of megabytes', async () => {
    const many = Array.from({ length: 300 }, (_, at) => ({ _id: 1_000 + at, n: 1, text: String(at).repeat(4_000) }));
    await rows().insertMany(many);
    const [found, [last]] = await mongo.transaction((tx) =>
      Promise.all([tx.find<Row>(rows(), { _id: { $gte: 1_000 } }, {}, 300), tx.find<Row>(rows(), { _id: 3 }, {}, 1)]),
    );
    expect(found).toEqual(many);
    expect(last).toEqual({ _id: 3, n: 3 });
  });

  it('repeats a commit whose connection breaks twice, and counts once', async () => {
    const appName = `lost-commit-${database.dbName}`;
    const unlucky = await connect(database.uri, { appName });
    const data = { failCommands: ['commitTransaction'], closeConnection: true, appName };
    const failed = await whileFailing(database.db, { times: 2 }, data, () =>
      unlucky.transaction((tx) => add(tx, 1, 1)),
    );
    expect(failed).toBe(2);
    expect((await stored())[0]).toEqual([1, 2]);
  });

  it.each([
    ['while no new connection can be opened', 1_000, {}],
    ['while no server can be found', 2_500, { serverSelectionTimeoutMS: 1_000, heartbeatFrequencyMS: 500 }],
  ])('does not run again after a commit whose response was lost, %s', async (_, refusesForMs, bounds) => {
    const proxy = await LosingProxy.start(database);
    const unlucky = await connect(proxy.uri, bounds);
    let runs = 0;
    try {
      proxy.loseNextCommit(refusesForMs);
      await unlucky.transaction(async (tx) => {
        runs++;
        await add(tx, 1, 1);
      });
      expect(proxy.lost).toBe(1);
      expect(proxy.refused).toBeGreaterThan(0);
    } finally {
      await unlucky.connection.close();
      await proxy.close();
    }
    expect(runs).toBe(1);
    expect((await stored())[0]).toEqual([1, 2]);
  });

  it('runs again when its connection breaks and leaves no row locked', async () => {
    const proxy = await LosingProxy.start(database);
    const unlucky = await connect(proxy.uri);
    let runs = 0;
    try {
      await unlucky.transaction(async (tx) => {
        await add(tx, 1, 1);
        if (++runs === 1) proxy.breakOnce();
        await add(tx, 2, 1);
      });
      await mongo.transaction((tx) => add(tx, 1, 1), WHILE_OPEN);
    } finally {
      await unlucky.connection.close();
      await proxy.close();
    }
    // The driver's monitor also lost its connection. A command that waits for a new one fails again when the monitor notices.
    expect(runs).toBeGreaterThan(1);
    expect((await stored()).slice(0, 2)).toEqual([
      [1, 3],
      [2, 3],
    ]);
  });

  it('gives up on a network that loses everything and leaves no row locked', async () => {
    const network = await UnreliableNetwork.start(database);
    const bounds = { connectTimeoutMS: 2_000, heartbeatFrequencyMS: 500, serverSelectionTimeoutMS: 4_000 };
    const lonely = await connect(network.uri, bounds);
    try {
      const failure = lonely.transaction(
        async (tx) => {
          await add(tx, 1, 10);
          network.vanish();
          await add(tx, 1, 10);
        },
        { timeoutMs: 2_000 },
      );
      await expect(failure).rejects.toMatchObject({ code: 'database_unavailable' });
      network.appear();
      await mongo.transaction((tx) => add(tx, 1, 1), WHILE_OPEN);
    } finally {
      // Close the network first, or the driver waits to end its sessions over dead connections.
      await network.close();
      await lonely.connection.close();
    }
    expect((await stored())[0]).toEqual([1, 2]);
  });
});
