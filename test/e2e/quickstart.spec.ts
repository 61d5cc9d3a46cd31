import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ObjectId } from 'mongodb';
import { demoCredentials } from '../../seeds/documents/demo-credentials.js';
import { loadConfig } from '../../src/config/app-config.js';
import { startHost } from '../../src/platform/cluster/host-start.js';
import { FORMAT } from '../../src/platform/mongo/format/database-format.js';
import { useDatabase } from '../support/mongo.js';
import { ROOT, SpawnedHost } from '../support/spawned-host.js';

const MONGOD = { MONGOD_BINARY: process.env.TEST_MONGOD_BINARY ?? '' };
const READY = /Ctrl-C stops everything/;

type Page = { data: { slug: string; title: string }[] };

/** Returns the URLs of the three commands that a new user would paste. */
function curlAddresses(output: string): string[] {
  return [...output.matchAll(/curl '([^']+)'/g)].map(([, address]) => address!);
}

describe('quickstart', () => {
  const host = new SpawnedHost('scripts/quickstart.mjs', MONGOD);

  afterAll(() => host.remove());

  it('fills an empty database, serves it and prints three commands that work', async () => {
    host.start();
    await host.untilOutput(READY);

    const addresses = curlAddresses(host.output);
    expect(addresses).toHaveLength(3);
    for (const address of addresses)
      expect(execFileSync('curl', ['-sf', address], { encoding: 'utf8' })).toMatch(/^\{/);
    expect((await fetch(`${await host.url()}/docs`)).status).toBe(200);
    expect(host.output).toMatch(/^Seeding the empty database/m);
    // A pipe gets no colors, and a machine that has just started logs no warnings.
    expect(host.output).not.toMatch(/\u001b|WARN|SlowQuery/);
  });

  it('refuses a second server on its data with one sentence', async () => {
    const config = loadConfig({ ...MONGOD, DATA_DIR: host.dataDir, HTTP_PORT: '0' });

    await expect(startHost(config, () => {})).rejects.toMatchObject({
      name: 'StartupError',
      message: expect.stringMatching(/is in use by another process of this project \(pid \d+\)/),
    });
    expect((await fetch(curlAddresses(host.output)[0]!)).status).toBe(200);
  });

  it('leaves no process behind after Ctrl-C', async () => {
    host.signalGroup('SIGINT');

    expect(await host.exit()).toBe(0);
    await host.untilGone();
  });

  it('serves the data of its first start, at an IPv6 address and in one process', async () => {
    host.start({ HTTP_HOST: '::1', HTTP_WORKERS: '1' });
    await host.untilOutput(READY);

    const response = await fetch(curlAddresses(host.output)[0]!);
    expect(((await response.json()) as Page).data).toHaveLength(5);
    expect(host.output).not.toMatch(/documents stored/);
    expect((await fetch(`${await host.url()}/health/ready`)).status).toBe(200);
    expect(host.processes().filter(({ command }) => command.includes('quickstart'))).toHaveLength(1);
  });

  it('leaves no process behind when it is killed, the embedded mongod included', async () => {
    expect(host.processes().some(({ command }) => command.includes('mongod'))).toBe(true);
    host.signal('SIGKILL');

    await host.untilGone();
  });
});

describe('a user without a home directory, and for root without an entry in the passwd file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-mongod-'));
  // That user cannot read a cache in the home directory of root.
  const binary = join(directory, 'mongod');
  const uid = process.getuid!() === 0 ? 65_600 : undefined;
  const host = new SpawnedHost('dist/bundle/main.js', { HOME: undefined, MONGOD_BINARY: binary }, uid);

  beforeAll(() => {
    copyFileSync(MONGOD.MONGOD_BINARY, binary);
    chmodSync(directory, 0o755);
    chmodSync(binary, 0o755);
  });
  afterAll(async () => {
    await host.remove();
    rmSync(directory, { recursive: true });
  });

  it('can run the server with its own MongoDB, and commands', async () => {
    host.start();
    expect((await fetch(`${await host.url()}/health/ready`)).status).toBe(200);

    const options = { cwd: ROOT, env: host.childEnvironment(), uid, gid: uid, encoding: 'utf8' } as const;
    const output = execFileSync(process.execPath, ['dist/bundle/cli.js', 'migrate', 'status'], options);
    expect(output).toContain(String(FORMAT));
    expect(host.output).not.toMatch(/\n +at /);
    host.signal('SIGTERM');
    expect(await host.exit()).toBe(0);
  });
});

describe('a server with the accounts of the README', () => {
  const { db, dbName, uri } = useDatabase();
  const environment = { HTTP_HOST: '0.0.0.0', MONGODB_URI: uri, MONGODB_DATABASE: dbName };

  beforeAll(async () => {
    await db.collection('credentials').insertMany(await demoCredentials(1, new Date(), () => new ObjectId()));
  });

  it.each(['scripts/quickstart.mjs', 'dist/bundle/main.js'])(
    'does not serve beyond this machine: %s',
    async (script) => {
      const open = new SpawnedHost(script, { ...environment, AUTH_TOKEN_SECRET: 'x'.repeat(40) });
      try {
        open.start();

        expect(await open.exit()).toBe(1);
        expect(open.output).toMatch(
          /^HTTP_HOST=0\.0\.0\.0 would let others sign in as demo_writer, demo_reader, demo_moderator, demo_admin,/m,
        );
        expect(open.output).toMatch(/delete these accounts .* or set AUTH_ALLOW_DEMO_ACCOUNTS=true\.$/m);
        expect(open.output).not.toMatch(/^ {4}at /m);
        await open.untilGone();
      } finally {
        await open.remove();
      }
    },
  );
});
