import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binary, ClientSession } from 'mongodb';
import mongoose from 'mongoose';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { readPidScope } from '../../src/platform/processes/process-info.js';
import { whileFailing } from '../support/fail-point.js';
import { useMongoModule } from '../support/mongo-module.js';

interface Counter {
  _id: string;
  n: number;
}

describe('a transaction that meets an open one', () => {
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

  it('does not end the open transaction of another server in the same process', async () => {
    const connection = await mongoose.createConnection(database.uri, { dbName: database.dbName }).asPromise();
    const other = new MongoService(connection);
    const addOne = (service: MongoService, _id: string, session: ClientSession) =>
      service.collection<Counter>('counters').updateOne({ _id }, { $inc: { n: 1 } }, { session, upsert: true });
    let runs = 0;
    try {
      await mongo.transaction(async (session) => {
        runs++;
        await addOne(mongo, 'a', session);
        // its first: whatever an earlier process of the same name has left is ended before it
        await other.transaction((otherSession) => addOne(other, 'b', otherSession));
        await addOne(mongo, 'a', session);
      });
    } finally {
      await connection.close();
    }
    expect(runs).toBe(1);
    expect(await read()).toBe(2);
  });

  it('writes down every session, however late the note of an earlier one arrives', async () => {
    const connection = await mongoose.createConnection(database.uri, { dbName: database.dbName }).asPromise();
    const fresh = new MongoService(connection);
    const used: string[] = [];
    const run = (): Promise<void> =>
      fresh.transaction(async (session) => {
        used.push(session.id!.id.toString('hex'));
        await fresh.collection<Counter>('counters').findOne({ _id: 'a' }, { session });
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

  it('leaves the open transaction of a container with the same host name alone', async () => {
    const session = database.client.startSession();
    const inContainer = { session, upsert: true };
    session.startTransaction();
    await database.db.collection<Counter>('counters').updateOne({ _id: 'a' }, { $inc: { n: 100 } }, inContainer);
    const [boot] = (await readPidScope()).split(' ');
    // as a process writes it that runs here, too, and whose pid is of another namespace: nothing has it in this one
    await mongo.collection<{ _id: string }>('process_sessions').insertOne({
      ...{ _id: 'in a container', scope: `${boot} pid:[1]`, host: hostname(), pid: 4_194_303, startTime: '1' },
      ...{ sessions: [session.id!.id], seenAt: new Date() },
    });
    const waiting = mongo.transaction((own) =>
      mongo.collection<Counter>('counters').updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: own, upsert: true }),
    );
    await sleep(1_500);
    await session.commitTransaction();
    await session.endSession();
    await waiting;
    expect(await read()).toBe(101);
  });

  it('ends the open transaction of an earlier process whose pid another one has by now', async () => {
    const session = database.client.startSession();
    session.startTransaction();
    const options = { session, upsert: true };
    await database.db.collection<Counter>('counters').updateOne({ _id: 'a' }, { $inc: { n: 100 } }, options);
    await mongo.collection<{ _id: string }>('process_sessions').insertOne({
      ...{ _id: 'before us', scope: await readPidScope(), pid: process.pid, startTime: '1' },
      ...{ sessions: [session.id!.id], seenAt: new Date() },
    });
    await mongo.transaction((own) =>
      mongo.collection<Counter>('counters').updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: own, upsert: true }),
    );
    expect(await read()).toBe(1);
    await expect(session.commitTransaction()).rejects.toThrow();
    await session.endSession();
  });

  it('does not wait a minute for the open transaction of a process that was killed', async () => {
    const script = `
      import { MongoClient } from 'mongodb';
      const client = new MongoClient(process.argv[1]);
      const session = client.startSession();
      session.startTransaction();
      await client.db(process.argv[2]).collection('counters').updateOne({ _id: 'a' }, { $inc: { n: 100 } }, { session });
      await client.db(process.argv[2]).collection('process_sessions').insertOne({
        _id: 'the dead one', scope: process.argv[3], pid: process.pid, startTime: '1', sessions: [session.id.id], seenAt: new Date(),
      });
      process.kill(process.pid, 'SIGKILL');`;
    const args = ['--input-type=module', '-e', script, database.uri, database.dbName, await readPidScope()];
    const { signal } = spawnSync(process.execPath, args, { cwd: process.cwd() });
    expect(signal).toBe('SIGKILL');
    const startedAt = Date.now();
    await mongo.transaction((session) =>
      mongo.collection<Counter>('counters').updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session }),
    );
    expect(Date.now() - startedAt).toBeLessThan(9_000);
    expect(await read()).toBe(1);
    expect(await mongo.collection<{ _id: string }>('process_sessions').findOne({ _id: 'the dead one' })).toBeNull();
  });
});
