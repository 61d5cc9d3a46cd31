import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { StartupError } from '../../src/common/errors.js';
import { EmbeddedMongod } from '../../src/platform/embedded-mongod/embedded-mongod.js';
import { findFreePort } from '../../src/platform/embedded-mongod/free-port.js';
import { KEEPER_TITLE, keeperSource } from '../../src/platform/embedded-mongod/keeper.js';
import { readProcessInfo, signalProcess } from '../../src/platform/processes/process-info.js';
import { testMongodBinary } from '../support/mongo.js';
import { until } from '../support/until.js';

const binary = testMongodBinary();
let dataDir: string;
let running: EmbeddedMongod[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'embedded-mongod-'));
});

afterEach(async () => {
  for (const mongod of running) await mongod.stop();
  running = [];
  await rm(dataDir, { recursive: true, force: true });
});

async function start(options: Partial<Parameters<typeof EmbeddedMongod.start>[0]> = {}): Promise<EmbeddedMongod> {
  const mongod = await EmbeddedMongod.start({ binary, dataDir, cacheSizeGB: 0.25, ...options });
  running.push(mongod);
  return mongod;
}

async function withClient<T>(uri: string, use: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 30_000, appName: 'spec' });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

const write = (uri: string, name: string) =>
  withClient(uri, (client) =>
    client
      .db('kept')
      .collection('things')
      .insertOne({ name }, { writeConcern: { w: 'majority' } }),
  );
const count = (uri: string) => withClient(uri, (client) => client.db('kept').collection('things').countDocuments());

/** The default of mongod is 60, and leaves rows locked for up to 90 s when nobody knows whose transaction it was. */
const LONGEST_TRANSACTION_SECONDS = 10;

const untilGone = (pid: number) => until(async () => ((await readProcessInfo(pid)) ? null : true));

describe('EmbeddedMongod', () => {
  it('keeps data and port across restarts and leaves no process behind', async () => {
    const first = await start();
    await write(first.uri, 'a');
    const pids = [first.mongodPid!, first.keeperPid];
    await first.stop();
    for (const pid of pids) await untilGone(pid);

    const second = await start();
    expect(second.port).toBe(first.port);
    expect(await count(second.uri)).toBe(1);
  });

  it('ends an abandoned transaction soon, but none of ours', async () => {
    const { uri } = await start();
    const name = 'transactionLifetimeLimitSeconds';
    const answer = await withClient(uri, (client) => client.db('admin').command({ getParameter: 1, [name]: 1 }));
    expect(answer[name]).toBeGreaterThan(LONGEST_TRANSACTION_SECONDS * 1.5);
    // mongod needs half as long again: below the default of SWEEP_GRACE_MS
    expect(answer[name] * 1.5).toBeLessThan(60);
  });

  it('keeps old versions for running transactions only', async () => {
    const { uri } = await start();
    await withClient(uri, async (client) => {
      const rows = client.db('history').collection<{ _id: number; text: string }>('rows');
      await rows.insertMany([0, 1].map((_id) => ({ _id, text: 'first' })));
      const session = client.startSession();
      session.startTransaction({ readConcern: { level: 'snapshot' } });
      expect(await rows.findOne({ _id: 0 }, { session })).toEqual({ _id: 0, text: 'first' });
      const { operationTime } = await client.db('history').command({ ping: 1 });
      for (let turn = 0; turn < 20; turn++) await rows.updateMany({}, { $set: { text: `${turn} `.repeat(1_000) } });
      // a checkpoint writes the pages, without what nobody may read any more
      await client.db('admin').command({ fsync: 1 });
      expect(await rows.findOne({ _id: 1 }, { session })).toEqual({ _id: 1, text: 'first' });
      await session.commitTransaction();
      await session.endSession();

      await rows.updateMany({}, { $set: { text: 'last' } });
      const past = { readConcern: { level: 'snapshot', atClusterTime: operationTime as unknown } };
      await expect(client.db('history').command({ find: 'rows', ...past })).rejects.toMatchObject({
        codeName: 'SnapshotTooOld',
      });
    });
  });

  it('moves to a free port with its data when the old one is taken', async () => {
    const first = await start();
    await write(first.uri, 'a');
    await first.stop();
    const squatter = await listen(first.port);
    try {
      const second = await start();
      expect(second.port).not.toBe(first.port);
      await write(second.uri, 'b');
      expect(await count(second.uri)).toBe(2);
    } finally {
      squatter.close();
    }
  });

  it('shares the server of another live process and does not stop it', async () => {
    const owner = await start();
    const guest = await start();
    expect(guest.isShared).toBe(true);
    expect(guest.uri).toBe(owner.uri);
    await guest.stop();
    await write(owner.uri, 'still up');
  });

  it('lets two that start at once end up on one server', async () => {
    const [a, b] = await Promise.all([start(), start()]);
    expect(a.uri).toBe(b.uri);
    expect([a.isShared, b.isShared].filter(Boolean)).toHaveLength(1);
  });

  it('starts mongod again when it is killed, with every acknowledged write', async () => {
    const troubles: string[] = [];
    const mongod = await start({ onTrouble: (message) => troubles.push(message.type) });
    await write(mongod.uri, 'a');
    const killed = mongod.mongodPid!;
    signalProcess(killed, 'SIGKILL');
    await untilGone(killed);
    expect(await count(mongod.uri)).toBe(1);
    expect(mongod.mongodPid).not.toBe(killed);
    expect(troubles).toContain('restarting');
  });

  it('stops the mongod of a run whose keeper was killed too, and recovers its data', async () => {
    const first = await start();
    await write(first.uri, 'a');
    const orphan = first.mongodPid!;
    signalProcess(first.keeperPid, 'SIGKILL');
    await untilGone(first.keeperPid);
    const second = await start();
    expect(second.isShared).toBe(false);
    expect(await readProcessInfo(orphan)).toBeNull();
    expect(await count(second.uri)).toBe(1);
  });

  it('recovers from an unclean shutdown whose lock file names a stranger', async () => {
    const first = await start();
    await write(first.uri, 'a');
    signalProcess(first.keeperPid, 'SIGKILL');
    signalProcess(first.mongodPid!, 'SIGKILL');
    await untilGone(first.mongodPid!);
    await writeFile(join(dataDir, 'db', 'mongod.lock'), `${process.pid}\n`);
    const second = await start();
    expect(await count(second.uri)).toBe(1);
  });

  it('has a lower priority than the processes that serve, also after a restart', async () => {
    // another kernel, or one without sessions in its scheduler: it starts all the same
    const sharesBySession = existsSync('/proc/self/autogroup');
    const weightOf = async (pid: number | undefined) =>
      sharesBySession
        ? (await readFile(`/proc/${pid}/autogroup`, 'utf8')).trim().split(' ').slice(1).join(' ')
        : 'nice 10';
    const mongod = await start();
    const first = mongod.mongodPid!;
    expect(await weightOf(first)).toBe('nice 10');
    if (sharesBySession)
      expect(await readFile('/proc/self/autogroup')).not.toEqual(await readFile(`/proc/${first}/autogroup`));
    signalProcess(first, 'SIGKILL');
    while (mongod.mongodPid === first) await sleep(50);
    expect(await weightOf(mongod.mongodPid)).toBe('nice 10');
  });

  it('keeps its log in a bounded number of bounded files', async () => {
    const logRotation = { maxBytes: 50_000, keptFiles: 2, checkEveryMs: 500 };
    const mongod = await start({ logRotation });
    const pid = mongod.mongodPid;
    const logs = async () => (await readdir(dataDir)).filter((name) => name.startsWith('mongod.log')).sort();
    const oldest = async () => (await readFile(join(dataDir, 'mongod.log.2'), 'utf8').catch(() => '')).slice(0, 500);
    await withClient(mongod.uri, async (client) => {
      await client.db('admin').command({ setParameter: 1, logLevel: 2 });
      const untilOldestIsNot = async (known: string) => {
        while ((await oldest()) === known) await client.db('kept').collection('things').insertOne({});
      };
      await untilOldestIsNot('');
      // the oldest goes
      await untilOldestIsNot(await oldest());
      await client.db('admin').command({ setParameter: 1, logLevel: 0 });
    });
    // mongod opens the new one a moment later, and at most once a second
    while (!(await logs()).includes('mongod.log')) await sleep(50);
    expect(await logs()).toEqual(['mongod.log', 'mongod.log.1', 'mongod.log.2']);
    // mongod writes to the new one
    while ((await stat(join(dataDir, 'mongod.log'))).size === 0) await sleep(50);
    expect((await stat(join(dataDir, 'mongod.log'))).size).toBeGreaterThan(0);
    expect(mongod.mongodPid).toBe(pid);
  });

  it('says in one sentence that the data directory is a file', async () => {
    await writeFile(join(dataDir, 'file'), '');
    await expect(start({ dataDir: join(dataDir, 'file') })).rejects.toThrow(
      /^The data directory .*file cannot be used: .* is a file\.$/,
    );
  });

  it('says in one sentence that the data is damaged, and where the log is', async () => {
    await mkdir(join(dataDir, 'db'), { recursive: true });
    await writeFile(join(dataDir, 'db', 'WiredTiger'), 'nonsense');
    await writeFile(join(dataDir, 'db', 'storage.bson'), 'nonsense');
    const failure = await start().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartupError);
    expect((failure as Error).message).toMatch(/^The embedded MongoDB cannot start: .*mongod\.log\)\.$/s);
    expect((failure as Error).message).not.toContain('\n');
  });
});

describe('the keeper', () => {
  /** An application reduced to what matters here: it starts a keeper and lives on. */
  async function startApplication(): Promise<{
    application: ChildProcess;
    keeperPid: number;
    mongodPid: number;
    port: number;
  }> {
    const port = await findFreePort();
    await mkdir(join(dataDir, 'db'));
    const args = [
      '--port',
      String(port),
      '--bind_ip',
      '127.0.0.1',
      '--dbpath',
      join(dataDir, 'db'),
      '--logpath',
      join(dataDir, 'log'),
      '--nounixsocket',
    ];
    const source = keeperSource({
      binary,
      args,
      runningFile: join(dataDir, 'running.json'),
      port,
      stopTimeoutMs: 60_000,
      log: { file: join(dataDir, 'log'), maxBytes: 2 ** 20, keptFiles: 1, checkEveryMs: 60_000 },
    });
    const script = `
      const keeper = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(source)}], { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
      keeper.on('message', (message) => process.stdout.write(JSON.stringify({ keeperPid: keeper.pid, mongodPid: message.pid }) + '\\n'));
      keeper.send('ready');
      process.on('SIGINT', () => {});
      setInterval(() => {}, 1000);`;
    const application = spawn(process.execPath, ['-e', script], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const line = await new Promise<string>((resolve) =>
      application.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())),
    );
    await withClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, (client) =>
      client.db('admin').command({ ping: 1 }),
    );
    return { application, port, ...(JSON.parse(line) as { keeperPid: number; mongodPid: number }) };
  }

  it('shuts mongod down cleanly within seconds when the application is killed with -9', async () => {
    const { application, keeperPid, mongodPid } = await startApplication();
    application.kill('SIGKILL');
    await untilGone(mongodPid);
    await untilGone(keeperPid);
    // a clean shutdown empties the lock file
    expect(await readFile(join(dataDir, 'db', 'mongod.lock'), 'utf8')).toBe('');
  });

  it('is out of reach of Ctrl-C and of a closing terminal: the application decides', async () => {
    const { application, keeperPid, mongodPid } = await startApplication();
    process.kill(-application.pid!, 'SIGINT');
    signalProcess(keeperPid, 'SIGINT');
    signalProcess(keeperPid, 'SIGHUP');
    await sleep(1_000);
    expect((await readProcessInfo(keeperPid))?.command).toContain(KEEPER_TITLE);
    expect(await readProcessInfo(mongodPid)).not.toBeNull();
    application.kill('SIGKILL');
    await untilGone(mongodPid);
  });
});

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
