import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../support/cli.js';
import { until } from '../support/until.js';

/** Another Node program has the pid now. SIGUSR2 would kill that program. */
describe('cli restart after a server was killed', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'opencanvas-restart-'));
  let stranger: ChildProcess;

  beforeAll(async () => {
    const script = join(dataDir, 'stranger.js');
    writeFileSync(script, "console.log('runs'); setInterval(() => {}, 1000);");
    stranger = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    stranger.stdout!.on('data', (chunk) => (output += String(chunk)));
    await until(() => output || null);
    mkdirSync(join(dataDir, 'run'));
  });
  afterAll(() => {
    stranger.kill('SIGKILL');
    rmSync(dataDir, { recursive: true });
  });

  function restart(record: object) {
    const { pid } = stranger;
    const startedAt = new Date().toISOString();
    const file = join(dataDir, 'run', `${pid}.json`);
    writeFileSync(file, JSON.stringify({ pid, host: '127.0.0.1', port: 3000, startedAt, ...record }));
    return runCommand(['restart', '--timeout', '5'], { DATA_DIR: dataDir, MONGODB_URI: '' });
  }

  it('sends no signal to another process with the pid of a server', async () => {
    const text = expect.stringMatching(/No server runs on the data directory/);
    expect(await restart({ processStartTime: '1' })).toEqual({ status: 1, text });
    // A signal would kill the program a little later.
    await sleep(200);
    expect([stranger.exitCode, stranger.signalCode]).toEqual([null, null]);
  });
});
