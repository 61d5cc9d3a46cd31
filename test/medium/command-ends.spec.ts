import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testEnvironment } from '../support/app.js';
import { MongodProxy } from '../support/mongod-proxy.js';
import { useDatabase } from '../support/mongo.js';
import { ensureBuilt, ROOT } from '../support/spawned-host.js';
import { until } from '../support/until.js';

const STACK = /^ {4}at /m;

/** Carries everything, and knows whether anybody came. */
class PlainProxy extends MongodProxy {
  isUsed = false;

  protected override join(client: Socket): void {
    this.isUsed = true;
    const mongod = this.open();
    client.pipe(mongod).pipe(client);
  }
}

/** What an operator sees when a command cannot go on: one sentence, or nothing, but no stack. */
describe('the end of a command', () => {
  const { dbName, uri } = useDatabase();
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-command-'));
  beforeAll(() => ensureBuilt(), 300_000);
  afterAll(() => rmSync(directory, { recursive: true }));

  function start(
    command: string[],
    environment: Record<string, string> = {},
    stdout: 'pipe' | number = 'pipe',
  ): ChildProcess {
    const settings = testEnvironment({ MONGODB_DATABASE: dbName, DATA_DIR: directory, ...environment });
    return spawn(process.execPath, [join(ROOT, 'dist/src/cli.js'), ...command], {
      env: { ...process.env, ...settings, NODE_ENV: 'development', LOG_LEVEL: 'error' },
      stdio: ['ignore', stdout, 'pipe'],
    });
  }

  async function endOf(child: ChildProcess): Promise<{ code: number | null; told: string }> {
    let told = '';
    child.stderr!.on('data', (chunk) => (told += String(chunk)));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, told: told.trim() };
  }

  it('is no failure when a pipe takes no more of what it prints', async () => {
    const child = start(['openapi', '-']);
    child.stdout!.destroy();
    expect(await endOf(child)).toEqual({ code: 0, told: '' });
  }, 60_000);

  it('comes after the work when nobody reads how far it is', async () => {
    const child = start(['seed', '--profile', 'tiny', '--yes']);
    child.stderr!.destroy();
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect(code).toBe(0);
  }, 120_000);

  it('is a failure when the disk has no room for what it prints', async () => {
    const { code, told } = await endOf(start(['openapi', '-'], {}, openSync('/dev/full', 'w')));
    expect([code, told]).toEqual([1, expect.stringMatching(/^The output cannot be written: ENOSPC[^\n]*$/)]);
  }, 60_000);

  it.each([
    ['openapi', join(directory, 'none', 'x')],
    ['backup', '--out', join(directory, 'none', 'x')],
  ])(
    'says why a file cannot be written: %s',
    async (...command) => {
      const { code, told } = await endOf(start(command));
      expect([code, told]).toEqual([1, expect.stringMatching(/^[^\n]*ENOENT: [^\n]*\.$/)]);
    },
    60_000,
  );

  it('leaves no backup on a disk that is full, and says so', async () => {
    const out = join(directory, 'full.backup');
    symlinkSync('/dev/full', `${out}.partial`);
    const { code, told } = await endOf(start(['backup', '--out', out]));
    expect([code, told]).toEqual([1, expect.stringMatching(/^The backup stopped: ENOSPC: .* No file was left\.$/m)]);
    expect(told).not.toMatch(STACK);
    expect(readdirSync(directory).filter((name) => name.includes('full.backup'))).toEqual([]);
  }, 60_000);

  it('by Ctrl-C is exit code 130 and one sentence, also when npm passes the signal on once more', async () => {
    const out = join(directory, 'interrupted.backup');
    // a pipe that is not read: the command stands in the middle of its work
    execFileSync('mkfifo', [`${out}.partial`]);
    const child = start(['backup', '--out', out]);
    const ended = endOf(child);
    const reader = await open(`${out}.partial`);
    child.kill('SIGINT');
    await sleep(100);
    child.kill('SIGINT');
    const { code, told } = await ended;
    await reader.close();
    expect([code, told]).toEqual([130, expect.stringMatching(/^SIGINT stopped the command\.$/m)]);
    expect(told).not.toMatch(STACK);
    expect(readdirSync(directory).filter((name) => name.includes('interrupted'))).toEqual([]);
  }, 60_000);

  it('by Ctrl-C between two steps is the same', async () => {
    const proxy = await PlainProxy.start({ uri });
    const child = start(['counters', 'audit'], { MONGODB_URI: proxy.uri });
    const ended = endOf(child);
    // it has read its configuration and not begun yet
    await until(() => proxy.isUsed || null);
    child.kill('SIGINT');
    const { code, told } = await ended;
    await proxy.close();
    expect([code, told]).toEqual([130, 'SIGINT stopped the command.']);
  }, 60_000);

  it.each([
    ['nobody serves', 'mongodb://127.0.0.1:9/?directConnection=true', /^No MongoDB listens at 127\.0\.0\.1:9[^\n]*$/],
    ['has no name', 'mongodb://', /^MONGODB_URI cannot be read: [^\n]*$/],
  ])(
    'is one sentence where the database %s',
    async (_, address, sentence) => {
      for (const command of [['outbox', 'status'], ['explain'], ['backup', '--out', join(directory, 'y')]]) {
        const environment = { MONGODB_URI: address, MONGODB_SERVER_SELECTION_TIMEOUT_MS: '1000' };
        expect(await endOf(start(command, environment))).toEqual({ code: 1, told: expect.stringMatching(sentence) });
      }
    },
    120_000,
  );
});
