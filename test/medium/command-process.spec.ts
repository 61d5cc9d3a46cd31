import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testEnvironment } from '../support/app.js';
import { MongodProxy } from '../support/mongod-proxy.js';
import { useDatabase } from '../support/mongo.js';
import { ROOT } from '../support/spawned-host.js';
import { until } from '../support/until.js';

/** Forwards nothing before `pass()`. */
class ClosedProxy extends MongodProxy {
  isUsed = false;
  pass: () => void = () => {};
  private readonly mayPass = new Promise<void>((resolve) => (this.pass = resolve));

  protected override join(client: Socket): void {
    this.isUsed = true;
    const mongod = this.open();
    void this.mayPass.then(() => client.pipe(mongod).pipe(client));
  }
}

/** Returns whether the process has handled every signal sent to it. */
function isIdle({ pid }: ChildProcess): boolean {
  return /^ShdPnd:\s*0+$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

/** Tests exit code, signals and pipes, which need a child process. Other specs run commands in process, see test/support/cli.ts. */
describe('the process of a command', () => {
  const { dbName, uri } = useDatabase();
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-command-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  function start(
    command: string[],
    settings: Record<string, string> = {},
    stdout: 'pipe' | number = 'pipe',
    program = 'cli',
  ) {
    const own = testEnvironment({ MONGODB_DATABASE: dbName, DATA_DIR: directory, ...settings });
    return spawn(process.execPath, [join(ROOT, `dist/bundle/${program}.js`), ...command], {
      env: { ...process.env, ...own, NODE_ENV: 'development', LOG_LEVEL: 'error' },
      stdio: ['ignore', stdout, 'pipe'],
    });
  }

  async function endOf(child: ChildProcess): Promise<{ code: number | null; stderr: string }> {
    let stderr = '';
    child.stderr!.on('data', (chunk) => (stderr += String(chunk)));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stderr: stderr.trim() };
  }

  it('exits with 0 when the reader of its stdout has closed the pipe', async () => {
    const child = start(['openapi', '-']);
    child.stdout!.destroy();

    expect(await endOf(child)).toEqual({ code: 0, stderr: '' });
  });

  it('finishes its work when the reader of its stderr has closed the pipe', async () => {
    const child = start(['--profile', 'tiny', '--yes'], {}, 'pipe', 'seed');
    child.stderr!.destroy();

    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('exits with 1 when the disk has no room for its stdout', async () => {
    const { code, stderr } = await endOf(start(['openapi', '-'], {}, openSync('/dev/full', 'w')));

    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The output cannot be written: ENOSPC[^\n]*$/)]);
  });

  it('exits with 1 and one sentence when no MongoDB listens', async () => {
    const settings = { MONGODB_URI: 'mongodb://127.0.0.1:9/', MONGODB_SERVER_SELECTION_TIMEOUT_MS: '1000' };
    const { code, stderr } = await endOf(start(['backup', '--out', join(directory, 'y')], settings));

    expect([code, stderr]).toEqual([1, expect.stringMatching(/^No MongoDB listens at 127\.0\.0\.1:9[^\n]*$/)]);
  });

  it('exits with 130 on Ctrl-C, also when npm forwards the signal again', async () => {
    const out = join(directory, 'interrupted.backup');
    // No process reads from the pipe, so the command waits in the middle of its work.
    execFileSync('mkfifo', [`${out}.partial`]);
    const child = start(['backup', '--out', out]);
    const ended = endOf(child);
    const reader = await open(`${out}.partial`);

    child.kill('SIGINT');
    await sleep(100);
    child.kill('SIGINT');

    const { code, stderr } = await ended;
    await reader.close();
    expect([code, stderr]).toEqual([130, expect.stringMatching(/^SIGINT stopped the command\.$/m)]);
    expect(stderr).not.toMatch(/^ {4}at /m);
    expect(readdirSync(directory).filter((name) => name.includes('interrupted'))).toEqual([]);
  });

  it('exits with 130 on Ctrl-C between two steps of its work', async () => {
    const proxy = await ClosedProxy.start({ uri });
    const child = start(['counters', 'audit'], { MONGODB_URI: proxy.uri });
    const ended = endOf(child);
    // The command has read its configuration and has not started.
    await until(() => proxy.isUsed || null);

    child.kill('SIGINT');
    await until(() => isIdle(child) || null);
    proxy.pass();

    const end = await ended;
    await proxy.close();
    expect(end).toEqual({ code: 130, stderr: 'SIGINT stopped the command.' });
  });
});
