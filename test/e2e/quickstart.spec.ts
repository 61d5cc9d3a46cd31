import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ensureBuilt, SpawnedHost } from '../support/spawned-host.js';

const ROOT = join(import.meta.dirname, '../..');

type Page = { data: { slug: string; title: string }[] };

async function read<T>(url: string): Promise<T> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  return (await answer.json()) as T;
}

/** The three lines a newcomer would paste. */
function curlAddresses(output: string): string[] {
  return [...output.matchAll(/curl '([^']+)'/g)].map(([, address]) => address!);
}

describe('quickstart, as a newcomer runs it', () => {
  const host = new SpawnedHost('scripts/quickstart.mjs', { MONGOD_BINARY: process.env.TEST_MONGOD_BINARY ?? '' });
  let firstStartMs = 0;

  beforeAll(() => ensureBuilt(), 300_000);
  afterAll(() => host.remove());

  it('fills an empty database, serves, prints three lines that work, and ends with Ctrl-C leaving nothing', async () => {
    const startedAt = Date.now();
    host.start();
    await host.untilOutput(/Ctrl-C stops everything/);
    firstStartMs = Date.now() - startedAt;
    const addresses = curlAddresses(host.output);
    expect(addresses).toHaveLength(3);
    for (const address of addresses) {
      expect(execFileSync('curl', ['-sf', address], { encoding: 'utf8' })).toMatch(/^\{/);
    }
    expect((await fetch(`${await host.url()}/docs`)).status).toBe(200);
    expect(host.output).toMatch(/^Filling the empty database/m);
    // neither colours in a pipe nor warnings about a machine that has just started
    expect(host.output).not.toMatch(/\u001b|WARN|SlowQuery/);
    host.signalGroup('SIGINT');
    expect(await host.exit()).toBe(0);
    await host.untilGone();
  }, 400_000);

  it('keeps the data and serves again soon', async () => {
    const startedAt = Date.now();
    host.start();
    await host.untilOutput(/Ctrl-C stops everything/);
    const elapsedMs = Date.now() - startedAt;
    const page = await read<Page>(curlAddresses(host.output)[0]!);
    expect(page.data).toHaveLength(5);
    expect(host.output).not.toMatch(/documents stored/);
    // 10 s is the promise on an idle machine; on one that is slow or busy, sooner than with a database to fill
    expect(elapsedMs).toBeLessThan(Math.max(40_000, firstStartMs));
  }, 300_000);

  it('refuses a second server on the same data in one sentence', async () => {
    const second = spawn(process.execPath, [join(ROOT, 'scripts/quickstart.mjs')], {
      cwd: ROOT,
      env: { ...process.env, DATA_DIR: host.dataDir, HTTP_PORT: '0', MONGODB_URI: '' },
    });
    let output = '';
    for (const stream of [second.stdout, second.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    const code = await new Promise((resolve) => second.once('close', resolve));
    expect(code).toBe(1);
    expect(output).toMatch(/is in use by another process of this project \(pid \d+\)/);
    expect((await fetch(curlAddresses(host.output)[0]!)).status).toBe(200);
  }, 120_000);

  it('restarts without a gap by the restart command', async () => {
    const before = host.workers('web');
    const output = execFileSync(process.execPath, [join(ROOT, 'scripts/run-cli.mjs'), 'restart'], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, DATA_DIR: host.dataDir, MONGODB_URI: '' },
    });
    expect(output).toMatch(/Restarted 4 processes/);
    expect(host.workers('web').filter((pid) => before.includes(pid))).toEqual([]);
  }, 120_000);

  it('leaves no process behind when the primary is killed, the embedded mongod included', async () => {
    expect(host.processes().some(({ command }) => command.includes('mongod'))).toBe(true);
    host.signal('SIGKILL');
    await host.untilGone();
  }, 120_000);

  it.each(['scripts/quickstart.mjs', 'dist/src/main.js'])(
    'does not serve accounts whose password is in the README beyond this machine: %s',
    async (script) => {
      const open = new SpawnedHost(script, { DATA_DIR: host.dataDir, HTTP_HOST: '0.0.0.0' });
      try {
        open.start({ MONGOD_BINARY: process.env.TEST_MONGOD_BINARY ?? '' });
        expect(await open.exit()).toBe(1);
        expect(open.output).toMatch(
          /^HTTP_HOST=0\.0\.0\.0 would let others sign in as demo_writer, demo_reader, demo_moderator, demo_admin,/m,
        );
        expect(open.output).toMatch(/delete these accounts .* or set AUTH_ALLOW_DEMO_ACCOUNTS=true\.$/m);
        await open.untilGone();
      } finally {
        await open.remove();
      }
    },
    240_000,
  );

  it('starts again after that, at an address of IPv6, and ends when the terminal is closed', async () => {
    host.start({ HTTP_HOST: '::1' });
    await host.untilOutput(/Ctrl-C stops everything/);
    await read<Page>(curlAddresses(host.output)[0]!);
    expect((await fetch(`${await host.url()}/health/ready`)).status).toBe(200);
    host.signalGroup('SIGHUP');
    expect(await host.exit()).toBe(0);
    await host.untilGone();
  }, 400_000);
});

describe('a start that cannot work says why in one sentence', () => {
  const hosts: SpawnedHost[] = [];
  const startMain = (environment: Record<string, string>): SpawnedHost => {
    const host = new SpawnedHost('dist/src/main.js', { AUTH_TOKEN_SECRET: 'x'.repeat(40), ...environment });
    hosts.push(host);
    host.start();
    return host;
  };
  beforeAll(() => ensureBuilt(), 300_000);
  afterAll(() => Promise.all(hosts.map((host) => host.remove())));

  it('names a port that is taken when it was asked for', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const host = startMain({ HTTP_PORT: String(port), MONGODB_URI: process.env.TEST_MONGODB_URI! });
    expect(await host.exit()).toBe(1);
    expect(host.output.trim()).toBe(
      `Port ${port} of 127.0.0.1 (HTTP_PORT) is taken by another program; stop that one or choose another port.`,
    );
    await new Promise((resolve) => other.close(resolve));
  }, 120_000);

  it('names a database that nobody serves', async () => {
    const host = startMain({ MONGODB_URI: 'mongodb://127.0.0.1:9/?directConnection=true' });
    expect(await host.exit()).toBe(1);
    expect(host.output.trim()).toMatch(/^No MongoDB listens at 127\.0\.0\.1:9[^\n]*$/);
    await host.untilGone();
  }, 120_000);

  it('names a variable that is wrong', async () => {
    const host = startMain({ HTTP_WORKERS: 'many', MONGODB_URI: process.env.TEST_MONGODB_URI! });
    expect(await host.exit()).toBe(1);
    expect(host.output).toMatch(/HTTP_WORKERS/);
    expect(host.output).not.toMatch(/ {4}at /);
  }, 120_000);

  it('serves in one process with HTTP_WORKERS=1', async () => {
    const host = startMain({ HTTP_WORKERS: '1', MONGODB_URI: process.env.TEST_MONGODB_URI! });
    const url = await host.url();
    expect((await fetch(`${url}/v1/feed?limit=1`)).status).toBe(200);
    expect(host.processes()).toHaveLength(1);
    host.signal('SIGTERM');
    expect(await host.exit()).toBe(0);
  }, 120_000);
});
