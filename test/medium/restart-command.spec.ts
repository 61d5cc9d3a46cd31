import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureBuilt, ROOT } from '../support/spawned-host.js';
import { until } from '../support/until.js';

/** Whatever has the pid by now: a node program, as the server was, that has no idea of SIGUSR2 and would end by it. */
describe('cli restart, on the record of a server that was killed', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'opencanvas-restart-'));
  let stranger: ChildProcess;

  beforeAll(async () => {
    ensureBuilt();
    const script = join(dataDir, 'stranger.js');
    writeFileSync(script, "console.log('runs'); setInterval(() => {}, 1000);");
    stranger = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    stranger.stdout!.on('data', (chunk) => (output += String(chunk)));
    await until(() => output || null);
    mkdirSync(join(dataDir, 'run'));
  }, 300_000);
  afterAll(() => {
    stranger.kill('SIGKILL');
    rmSync(dataDir, { recursive: true });
  });

  function restart(record: object): string {
    const { pid } = stranger;
    const startedAt = new Date().toISOString();
    const file = join(dataDir, 'run', `${pid}.json`);
    writeFileSync(file, JSON.stringify({ pid, host: '127.0.0.1', port: 3000, startedAt, ...record }));
    const command = [join(ROOT, 'dist/src/cli.js'), 'restart', '--timeout', '5'];
    const env = { ...process.env, DATA_DIR: dataDir, MONGODB_URI: '', NODE_ENV: 'development' };
    const { status, stderr } = spawnSync(process.execPath, command, { env, encoding: 'utf8' });
    expect(status).toBe(1);
    return stderr;
  }

  it.each([
    ['started at another time', { processStartTime: '1' }, /No server runs on the data directory/],
    ['of a version that did not write down its start', {}, /An earlier version runs on .*: stop it and start this one/],
  ])('sends no signal to a process whose pid is that of a server %s', async (_, record, sentence) => {
    expect(restart(record)).toMatch(sentence);
    // its end would be told on a later turn
    await sleep(200);
    expect([stranger.exitCode, stranger.signalCode]).toEqual([null, null]);
  });
});
