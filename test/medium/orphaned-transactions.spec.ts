import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binary, ClientSession, CommandSucceededEvent } from 'mongodb';
import mongoose from 'mongoose';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import type { Transaction } from '../../src/platform/mongo/transaction.js';
import { readPidScope } from '../../src/platform/processes/process-info.js';
import { whileFailing } from '../support/fail-point.js';
import { useMongoModule } from '../support/mongo-module.js';

interface Counter {
  _id: string;
  n: number;
}

interface SessionRecord {
  _id: string;
  scope: string;
  host?: string;
  pid: number;
  startTime: string;
  sessions: Binary[];
  seenAt: Date;
}

describe('a transaction that conflicts with an open one', () => {
  const database = useMongoModule();
  let mongo: MongoService;
  let scope: string;

  beforeAll(async () => {
    mongo = (await database.open()).get(MongoService);
    scope = await readPidScope();
    await mongo.db.createCollection('counters');
  });
  beforeEach(async () => {
    await mongo.collection<Counter>('counters').deleteMany({});
    await mongo.collection<Counter>('counters').insertOne({ _id: 'a', n: 0 });
  });

  const sessions = () => mongo.collection<SessionRecord>('process_sessions');
  const addOne = (tx: Transaction) =>
    mongo
      .collection<Counter>('counters')
      .updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: tx.session, upsert: true });
  const readCounter = async () => (await mongo.collection<Counter>('counters').findOne({ _id: 'a' }))?.n;

  /** Starts a transaction that has added 100 and is neither committed nor aborted. */
  async function openTransaction(): Promise<ClientSession> {
    const session = database.client.startSession();
    session.startTransaction();
    const options = { session, upsert: true };
    await database.db.collection<Counter>('counters').updateOne({ _id: 'a' }, { $inc: { n: 100 } }, options);
    return session;
  }

  /** Returns the record of the process that opened the session. */
  function recordOf(_id: string, session: ClientSession): SessionRecord {
    return { _id, scope, pid: process.pid, startTime: '1', sessions: [session.id!.id], seenAt: new Date() };
  }

  /** Resolves at the second search for open transactions, because the first search has ended by then. */
  function secondLookAtSessions(): Promise<void> {
    return new Promise((resolve) => {
      let looks = 0;
      const onSucceeded = ({ commandName, reply }: CommandSucceededEvent): void => {
        const isLook = commandName === 'find' && JSON.stringify(reply).includes('process_sessions');
        if (!isLook || ++looks < 2) return;
        mongo.client.off('commandSucceeded', onSucceeded);
        resolve();
      };
      mongo.client.on('commandSucceeded', onSucceeded);
    });
  }

  it('does not end the transaction of another server in the same process', async () => {
    const connection = await mongoose.createConnection(database.uri, { dbName: database.dbName }).asPromise();
    const other = new MongoService(connection);
    const add = (service: MongoService, _id: string, tx: Transaction) =>
      service
        .collection<Counter>('counters')
        .updateOne({ _id }, { $inc: { n: 1 } }, { session: tx.session, upsert: true });
    let runs = 0;
    try {
      await mongo.transaction(async (tx) => {
        runs++;
        await add(mongo, 'a', tx);
        // The first transaction of `other` ends the open ones of an earlier process of the same name.
        await other.transaction((otherSession) => add(other, 'b', otherSession));
        await add(mongo, 'a', tx);
      });
    } finally {
      await connection.close();
    }
    expect(runs).toBe(1);
    expect(await readCounter()).toBe(2);
  });

  it('records every session, also when the record of an earlier one is late', async () => {
    const connection = await mongoose.createConnection(database.uri, { dbName: database.dbName }).asPromise();
    const fresh = new MongoService(connection);
    const used: string[] = [];
    const run = (): Promise<void> =>
      fresh.transaction(async (tx) => {
        used.push(tx.session.id!.id.toString('hex'));
        await fresh.collection<Counter>('counters').findOne({ _id: 'a' }, { session: tx.session });
      });
    const late = { failCommands: ['update'], blockConnection: true, blockTimeMS: 500 };
    const namespace = `${database.dbName}.process_sessions`;
    try {
      await whileFailing(database.db, { times: 1 }, { ...late, namespace }, async () => {
        const first = run();
        await sleep(100);
        await Promise.all([first, run()]);
      });
      const rows = await mongo.collection<{ sessions: Binary[] }>('process_sessions').find().toArray();
      const noted = rows.map(({ sessions }) => sessions.map((id) => id.toString('hex')).sort());
      expect(noted).toContainEqual(used.sort());
    } finally {
      await connection.close();
    }
    expect(used).toHaveLength(2);
  });

  it('does not end the open transaction of a container with the same host name', async () => {
    const session = await openTransaction();
    const [boot] = (await readPidScope()).split(' ');
    // The pid is from another namespace, so this namespace has no process with it.
    const elsewhere = { scope: `${boot} pid:[1]`, host: hostname(), pid: 4_194_303 };
    await sessions().insertOne({ ...recordOf('in a container', session), ...elsewhere });

    const looked = secondLookAtSessions();
    const waiting = mongo.transaction(addOne, { timeoutMs: 50_000 });
    await looked;
    await session.commitTransaction();
    await session.endSession();
    await waiting;

    expect(await readCounter()).toBe(101);
  });

  it('ends the open transaction of an earlier process with the pid of this one', async () => {
    const session = await openTransaction();
    await sessions().insertOne({ ...recordOf('before us', session), pid: process.pid });

    await mongo.transaction(addOne, { timeoutMs: 50_000 });

    expect(await readCounter()).toBe(1);
    await expect(session.commitTransaction()).rejects.toThrow();
    await session.endSession();
  });

  it('does not wait for MongoDB to end the transaction of a killed process', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    const session = await openTransaction();
    await sessions().insertOne({ ...recordOf('killed', session), pid });

    // MongoDB would end the transaction after 60 s.
    await mongo.transaction(addOne, { timeoutMs: 50_000 });

    expect(await readCounter()).toBe(1);
    expect(await sessions().findOne({ _id: 'killed' })).toBeNull();
    await expect(session.commitTransaction()).rejects.toThrow();
    await session.endSession();
  });
});
