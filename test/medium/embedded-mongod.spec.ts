import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { MongoClient } from 'mongodb';
import { StartupError } from '../../src/common/errors.js';
import { EmbeddedMongod } from '../../src/platform/embedded-mongod/embedded-mongod.js';
import { readProcessInfo, signalProcess } from '../../src/platform/processes/process-info.js';
import { testMongodBinary } from '../support/mongo.js';
import { ROOT } from '../support/spawned-host.js';
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

/** With mongod's default of 60, rows stay locked for up to 90 s after a client crashed inside a transaction. */
const LONGEST_TRANSACTION_SECONDS = 10;

const untilGone = (pid: number) => until(async () => ((await readProcessInfo(pid)) ? null : true));

/** Finds the library's process that stops this mongod after its application has exited. */
async function findKiller(mongodPid: number): Promise<number | null> {
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const command = (await readProcessInfo(Number(name)))?.command ?? '';
    if (command.includes('mongo_killer.js') && command.endsWith(` ${mongodPid}`)) return Number(name);
  }
  return null;
}

describe('EmbeddedMongod', () => {
  it('keeps data and port across restarts and leaves no process behind', async () => {
    const first = await start();
    await write(first.uri, 'a');
    const pid = first.mongodPid!;
    await first.stop();
    expect([await readProcessInfo(pid), await findKiller(pid)]).toEqual([null, null]);

    const second = await start();
    expect(second.port).toBe(first.port);
    expect(await count(second.uri)).toBe(1);
  });

  it('ends an abandoned transaction soon, but none of ours', async () => {
    const { uri } = await start();
    const name = 'transactionLifetimeLimitSeconds';
    const answer = await withClient(uri, (client) => client.db('admin').command({ getParameter: 1, [name]: 1 }));
    expect(answer[name]).toBeGreaterThan(LONGEST_TRANSACTION_SECONDS * 1.5);
    // mongod needs 1.5 times its limit, which must stay below the default of CLEANUP_DELAY_MS.
    expect(answer[name] * 1.5).toBeLessThan(60);
  });

  it('keeps history for running transactions only', async () => {
    const { uri } = await start();
    await withClient(uri, async (client) => {
      const rows = client.db('history').collection<{ _id: number; text: string }>('rows');
      await rows.insertMany([0, 1].map((_id) => ({ _id, text: 'first' })));
      const session = client.startSession();
      session.startTransaction({ readConcern: { level: 'snapshot' } });
      expect(await rows.findOne({ _id: 0 }, { session })).toEqual({ _id: 0, text: 'first' });
      const { operationTime } = await client.db('history').command({ ping: 1 });
      for (let turn = 0; turn < 20; turn++) await rows.updateMany({}, { $set: { text: `${turn} `.repeat(1_000) } });
      // A checkpoint writes the pages without versions that no snapshot needs.
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

  it('lets two concurrent starts share one server', async () => {
    const [a, b] = await Promise.all([start(), start()]);
    expect(a.uri).toBe(b.uri);
    expect([a.isShared, b.isShared].filter(Boolean)).toHaveLength(1);
  });

  it('starts mongod again when it is killed, with every acknowledged write', async () => {
    const troubles: string[] = [];
    const mongod = await start({ onTrouble: (line) => troubles.push(line) });
    await write(mongod.uri, 'a');
    const killed = mongod.mongodPid!;
    signalProcess(killed, 'SIGKILL');
    await untilGone(killed);
    expect(await count(mongod.uri)).toBe(1);
    while (troubles.length < 2) await sleep(50);
    expect(mongod.mongodPid).not.toBe(killed);
    expect(troubles).toEqual(['ended (killed by SIGKILL), restarting it', `started again (pid ${mongod.mongodPid})`]);
  });

  it('recovers from an unclean shutdown whose lock file contains the pid of another program', async () => {
    const { application, uri, mongodPid } = await startApplication();
    await write(uri, 'a');
    application.kill('SIGKILL');
    signalProcess(mongodPid, 'SIGKILL');
    await untilGone(mongodPid);
    await writeFile(join(dataDir, 'db', 'mongod.lock'), `${process.pid}\n`);
    const second = await start();
    expect(await count(second.uri)).toBe(1);
  });

  it('has a lower priority than serving processes, also after a restart', async () => {
    // The mongod also starts on another kernel, or on one without sessions in its scheduler.
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

  it('puts a large log aside when it starts', async () => {
    await writeFile(join(dataDir, 'mongod.log'), 'an earlier run\n');
    await truncate(join(dataDir, 'mongod.log'), 20 * 2 ** 20);
    await start();
    expect((await readFile(join(dataDir, 'mongod.log.1'), 'utf8')).slice(0, 14)).toBe('an earlier run');
    expect(await readFile(join(dataDir, 'mongod.log'), 'utf8')).toContain('Waiting for connections');
  });

  it('reports in one sentence that the data directory is a file', async () => {
    await writeFile(join(dataDir, 'file'), '');
    await expect(start({ dataDir: join(dataDir, 'file') })).rejects.toThrow(
      /^The data directory .*file cannot be used: EEXIST: .*\.$/,
    );
  });

  it('reports in one sentence that the data is damaged, with the path of the log', async () => {
    await mkdir(join(dataDir, 'db'), { recursive: true });
    await writeFile(join(dataDir, 'db', 'WiredTiger'), 'nonsense');
    await writeFile(join(dataDir, 'db', 'storage.bson'), 'nonsense');
    const failure = await start().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartupError);
    expect((failure as Error).message).toMatch(/^The embedded MongoDB cannot start: .*mongod\.log\)\.$/s);
    expect((failure as Error).message).not.toContain('\n');
  });
});

describe('another process with an embedded MongoDB', () => {
  it('shares it, and a second process does not stop it', async () => {
    const { application, mongodPid } = await startApplication();
    const guest = await start();
    expect([guest.isShared, guest.ownerPid]).toEqual([true, application.pid]);
    await guest.stop();
    await write(guest.uri, 'still up');
    application.kill('SIGKILL');
    await untilGone(mongodPid);
  });

  it('leaves no process behind within seconds after kill -9', async () => {
    const { application, mongodPid } = await startApplication();
    const killer = (await findKiller(mongodPid))!;
    application.kill('SIGKILL');
    await untilGone(mongodPid);
    await untilGone(killer);
    // A clean shutdown empties the lock file.
    expect(await readFile(join(dataDir, 'db', 'mongod.lock'), 'utf8')).toBe('');
  });

  it('leaves a mongod behind when its killer is killed, too; the next start stops it and uses its data', async () => {
    const { application, uri, mongodPid } = await startApplication();
    await write(uri, 'a');
    signalProcess((await findKiller(mongodPid))!, 'SIGKILL');
    application.kill('SIGKILL');
    await until(async () => ((await readProcessInfo(mongodPid))?.parentPid === application.pid ? null : true));
    const next = await start();
    expect(next.isShared).toBe(false);
    expect(await readProcessInfo(mongodPid)).toBeNull();
    expect(await count(next.uri)).toBe(1);
  });

  it('ignores Ctrl-C, which the server handles', async () => {
    const { application, mongodPid } = await startApplication();
    process.kill(-application.pid!, 'SIGINT');
    await sleep(1_000);
    expect(await readProcessInfo(mongodPid)).not.toBeNull();
    application.kill('SIGKILL');
    await untilGone(mongodPid);
  });
});

/** Starts a process that starts a mongod here and ignores Ctrl-C. */
async function startApplication(): Promise<{ application: ChildProcess; uri: string; mongodPid: number }> {
  const room = pathToFileURL(join(ROOT, 'dist/src/platform/embedded-mongod/embedded-mongod.js')).href;
  const script = `
    process.on('SIGINT', () => {});
    const { EmbeddedMongod } = await import(${JSON.stringify(room)});
    const mongod = await EmbeddedMongod.start(${JSON.stringify({ binary, dataDir, cacheSizeGB: 0.25 })});
    console.log(JSON.stringify({ uri: mongod.uri, mongodPid: mongod.mongodPid }));`;
  const application = spawn(process.execPath, ['--input-type=module', '-e', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(application.stdout, 'data')) as [Buffer];
  return { application, ...(JSON.parse(String(line)) as { uri: string; mongodPid: number }) };
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
