import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { StartupError } from '../../src/common/errors.js';
import { checkDeployment } from '../../src/platform/mongo/deployment-check.js';
import { Mongos } from '../support/mongos.js';
import { testMongodBinary, useDatabase } from '../support/mongo.js';
import { until } from '../support/until.js';
import { freePorts } from '../support/server-process.js';

/** Starts a standalone server with authentication. */
async function startStandalone(dataDir: string, ...args: string[]) {
  const [port] = (await freePorts(1)) as [number];
  const fixed = [
    '--port',
    String(port),
    '--bind_ip',
    '127.0.0.1',
    '--nounixsocket',
    '--dbpath',
    dataDir,
    '--wiredTigerCacheSizeGB',
    '0.25',
  ];
  const mongod = spawn(testMongodBinary(), [...fixed, ...args], { stdio: 'ignore' });
  const stop = () =>
    new Promise<void>((resolve) => void (mongod.once('exit', () => resolve()) && mongod.kill('SIGKILL')));
  return { host: `127.0.0.1:${port}`, stop };
}

/** Starts a replica set of one member. */
async function startMember() {
  const dataDir = await mkdtemp(join(tmpdir(), 'member-'));
  const { host, stop } = await startStandalone(dataDir, '--replSet', 'other');
  const client = new MongoClient(`mongodb://${host}/?directConnection=true`);
  const admin = client.db('admin');
  const isPrimary = async () => ((await admin.command({ hello: 1 })).isWritablePrimary === true ? true : null);
  await admin.command({ replSetInitiate: { _id: 'other', members: [{ _id: 0, host }] } });
  await until(isPrimary);
  return {
    host,
    /** The member is no candidate for this time. */
    stepDown: (seconds: number) => admin.command({ replSetStepDown: seconds, force: true }),
    thaw: () => admin.command({ replSetFreeze: 0 }),
    stop: async () => {
      await client.close();
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function refusal(
  uri: string,
  serverSelectionTimeoutMs = 6_000,
  options: { electionTimeoutMs?: number; embeddedLog?: string } = {},
): Promise<string> {
  const target = { uri, dbName: 'opencanvas', serverSelectionTimeoutMs, ...options };
  const error: unknown = await checkDeployment(target).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartupError);
  return (error as StartupError).message;
}

describe('checkDeployment', () => {
  const database = useDatabase();
  let dataDir: string;
  let standalone: Awaited<ReturnType<typeof startStandalone>>;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'standalone-'));
    standalone = await startStandalone(dataDir, '--auth');
    const client = new MongoClient(`mongodb://${standalone.host}/`);
    const user = { user: 'ada', pwd: 'right', roles: [{ role: 'readWrite', db: 'opencanvas' }] };
    await client.db('admin').command({ createUser: 'root', pwd: 'root', roles: ['root'] });
    await client.close();
    const root = new MongoClient(`mongodb://root:root@${standalone.host}/`);
    const { user: createUser, ...rest } = user;
    await root.db('admin').command({ createUser, ...rest });
    await root.close();
  });
  afterAll(async () => {
    await standalone.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('accepts a replica set', async () => {
    await expect(
      checkDeployment({ uri: database.uri, dbName: database.dbName, serverSelectionTimeoutMs: 6_000 }),
    ).resolves.toBeUndefined();
  });

  it('refuses a standalone server and names the remedy', async () => {
    expect(await refusal(`mongodb://ada:right@${standalone.host}/?authSource=admin`)).toMatch(
      /^The MongoDB at 127\.0\.0\.1:\d+ is a standalone server, and a replica set is needed .* --replSet rs0 .*rs\.initiate\(\)/,
    );
    expect(await refusal(`mongodb://ada:right@${standalone.host}/?replicaSet=rs0`)).toMatch(
      /is not a member of the replica set rs0 that MONGODB_URI names/,
    );
  });

  it('refuses a mongos and names the alternative', async () => {
    const mongos = await Mongos.start();
    try {
      expect(await refusal(`mongodb://127.0.0.1:${mongos.port}/`)).toBe(
        `The MongoDB at 127.0.0.1:${mongos.port} is a mongos, and sharded clusters are not supported: give MONGODB_URI the members of one replica set.`,
      );
    } finally {
      await mongos.close();
    }
  });

  it('names a wrong password, and never shows it', async () => {
    const message = await refusal(`mongodb://ada:wrong-one@${standalone.host}/?authSource=admin`);
    expect(message).toMatch(/^MongoDB at 127\.0\.0\.1:\d+ refused the user name or the password in MONGODB_URI/);
    expect(message).not.toContain('wrong-one');
  });

  it('waits for an election, and names the members that do not listen', async () => {
    const member = await startMember();
    try {
      const [one, two] = await freePorts(2);
      const uri = `mongodb://${member.host},127.0.0.1:${one},127.0.0.1:${two}/?replicaSet=other`;
      await member.stepDown(3_600);
      expect(await refusal(uri, 1_000, { electionTimeoutMs: 0 })).toMatch(
        new RegExp(
          `^The replica set at .* has no primary now: .*; no MongoDB listens at 127\\.0\\.0\\.1:${one}, 127\\.0\\.0\\.1:${two}\\.$`,
        ),
      );
      const check = checkDeployment({ uri, dbName: 'opencanvas', serverSelectionTimeoutMs: 1_000 });
      await member.thaw();
      await expect(check).resolves.toBeUndefined();
    } finally {
      await member.stop();
    }
  });

  it('names the log of an embedded MongoDB, never MONGODB_URI', async () => {
    const [port] = (await freePorts(1)) as [number];
    const embeddedLog = '/data/mongo/mongod.log';
    const message = await refusal(`mongodb://127.0.0.1:${port}/?replicaSet=rs0`, 1_000, { embeddedLog });
    expect(message).toMatch(/^The embedded MongoDB does not respond \(.*ECONNREFUSED.*\): \/data\/mongo\/mongod\.log /);
  });

  it('names a closed port, an unknown host and an invalid address', async () => {
    const [port] = (await freePorts(1)) as [number];
    expect(await refusal(`mongodb://127.0.0.1:${port}/`, 2_000)).toBe(
      `No MongoDB listens at 127.0.0.1:${port}: start it, or check MONGODB_URI.`,
    );
    expect(await refusal('mongodb://no-such-host.invalid/', 2_000)).toMatch(/no-such-host\.invalid/);
    expect(await refusal('mongodb://127.0.0.1:notaport/')).toMatch(/^MONGODB_URI cannot be read: /);
  });
});
