import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { EmbeddedMongod } from '../../src/platform/embedded-mongod/embedded-mongod.js';
import { testMongodBinary } from '../support/mongo.js';
import { freePorts } from '../support/server-process.js';

const binary = testMongodBinary();
const UNAUTHORIZED = 13;
const AUTHENTICATION_FAILED = 18;
let dataDir: string;
let running: EmbeddedMongod[] = [];

async function makeDirectory(): Promise<void> {
  dataDir = await mkdtemp(join(tmpdir(), 'embedded-password-'));
}

async function stopAll(): Promise<void> {
  for (const mongod of running) await mongod.stop();
  running = [];
  await rm(dataDir, { recursive: true, force: true });
}

async function start(): Promise<EmbeddedMongod> {
  const mongod = await EmbeddedMongod.start({ binary, dataDir, cacheSizeGB: 0.25 });
  running.push(mongod);
  return mongod;
}

async function withClient<T>(uri: string, use: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 30_000 });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

const write = (uri: string) =>
  withClient(uri, (client) =>
    client
      .db('kept')
      .collection('things')
      .insertOne({ name: 'kept' }, { writeConcern: { w: 'majority' } }),
  );
const count = (uri: string) => withClient(uri, (client) => client.db('kept').collection('things').countDocuments());
const stranger = ({ port }: { port: number }) => `mongodb://127.0.0.1:${port}/?directConnection=true`;

/** Arguments of the first version, in which every program that reached the port had full access. */
const openArguments = (port: number) => [
  ...['--replSet', 'rs0', '--bind_ip', '127.0.0.1', '--port', String(port), '--nounixsocket', '--logappend'],
  ...['--dbpath', join(dataDir, 'db'), '--logpath', join(dataDir, 'mongod.log'), '--wiredTigerCacheSizeGB', '0.25'],
];

async function makeReplicaSet(port: number): Promise<void> {
  await withClient(stranger({ port }), async (client) => {
    const admin = client.db('admin');
    await admin.command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: `127.0.0.1:${port}` }] } });
    while (!(await admin.command({ hello: 1 })).isWritablePrimary) await sleep(50);
  });
}

describe('the password of an embedded MongoDB', () => {
  const password = '0123456789abcdef'.repeat(4);
  const fileOfPassword = () => join(dataDir, 'password');
  let mongod: EmbeddedMongod;

  // Simulates a copy that others may read.
  beforeAll(async () => {
    await makeDirectory();
    await writeFile(fileOfPassword(), password, { mode: 0o644 });
    mongod = await start();
    await write(mongod.uri);
  });
  afterAll(stopAll);

  it('prevents other programs of the machine from reading and writing', async () => {
    await withClient(stranger(mongod), async (client) => {
      const refused = { code: UNAUTHORIZED };
      await expect(client.db('kept').collection('things').findOne()).rejects.toMatchObject(refused);
      await expect(client.db('kept').collection('things').insertOne({})).rejects.toMatchObject(refused);
      await expect(client.db('admin').command({ listDatabases: 1 })).rejects.toMatchObject(refused);
      const createUser = { createUser: 'stranger', pwd: 'stranger', roles: ['root'] };
      await expect(client.db('admin').command(createUser)).rejects.toMatchObject(refused);
    });
    const guess = mongod.uri.replace(/:[^:@]+@/, ':guess@');
    await expect(count(guess)).rejects.toMatchObject({ code: AUTHENTICATION_FAILED });
  });

  it('is read from its file, which only its owner can read from then on', async () => {
    expect(new URL(mongod.uri)).toMatchObject({ username: 'opencanvas', password });
    expect((await stat(fileOfPassword())).mode & 0o777).toBe(0o600);
  });

  it('is in no command line and in no other file of the directory', async () => {
    expect(await readFile(`/proc/${mongod.mongodPid}/cmdline`, 'utf8')).not.toContain(password);
    const holders: string[] = [];
    for (const file of await readdir(dataDir, { withFileTypes: true })) {
      if (!file.isFile()) continue;
      if ((await readFile(join(dataDir, file.name), 'utf8')).includes(password)) holders.push(file.name);
    }
    expect(holders).toEqual(['password']);
  });
});

describe('the password of an embedded MongoDB that starts', () => {
  beforeEach(makeDirectory);
  afterEach(stopAll);

  it('is the same again, and a new one when its file is lost', async () => {
    const first = await start();
    expect(new URL(first.uri).password).toHaveLength(64);
    expect((await stat(join(dataDir, 'password'))).mode & 0o777).toBe(0o600);
    await write(first.uri);
    await first.stop();
    const second = await start();
    expect(second.uri).toBe(first.uri);
    await second.stop();

    await rm(join(dataDir, 'password'));
    const third = await start();
    expect(third.uri).not.toBe(first.uri);
    expect(await count(third.uri)).toBe(1);
    await expect(count(first.uri)).rejects.toMatchObject({ code: AUTHENTICATION_FAILED });
  });

  it('is added to the data of a version without one', async () => {
    await mkdir(join(dataDir, 'db'));
    const [port] = (await freePorts(1)) as [number];
    const old = spawn(binary, openArguments(port), { stdio: 'ignore' });
    try {
      await makeReplicaSet(port);
      await write(stranger({ port }));
    } finally {
      old.kill('SIGTERM');
      await once(old, 'exit');
    }
    const mongod = await start();
    expect(await count(mongod.uri)).toBe(1);
    await expect(count(stranger(mongod))).rejects.toMatchObject({ code: UNAUTHORIZED });
  });
});
