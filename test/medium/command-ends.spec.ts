import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testEnvironment } from '../support/app.js';
import { useDatabase } from '../support/mongo.js';
import { ensureBuilt, ROOT } from '../support/spawned-host.js';

/** What an operator sees when a command cannot go on: one sentence, or nothing, but no stack. */
describe('the end of a command', () => {
  const { dbName } = useDatabase();
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-command-'));
  beforeAll(() => ensureBuilt(), 300_000);
  afterAll(() => rmSync(directory, { recursive: true }));

  function start(command: string[], stdout: 'pipe' | number = 'pipe'): ChildProcess {
    const settings = testEnvironment({ MONGODB_DATABASE: dbName, DATA_DIR: directory });
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
    const { code, told } = await endOf(start(['openapi', '-'], openSync('/dev/full', 'w')));
    expect([code, told]).toEqual([1, expect.stringMatching(/^The output cannot be written: ENOSPC[^\n]*$/)]);
  }, 60_000);
});
