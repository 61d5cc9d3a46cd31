import { spawnSync } from 'node:child_process';
import cluster from 'node:cluster';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostMetrics } from './host-metrics.js';
import { IpcRouter } from './bus.js';
import { ManagedProcess, nodeFlagsOf } from './managed-process.js';

describe('flags of node', () => {
  it.each(['web', 'writer', 'jobs', 'all'] as const)(
    'of a process of the role %s are known to this version of node',
    (role) => {
      const { status, stderr } = spawnSync(process.execPath, [...nodeFlagsOf(role), '-e', ''], { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    },
  );

  it('limit the heap of the jobs process', () => {
    const heapLimit = 'process.stdout.write(String(v8.getHeapStatistics().heap_size_limit))';
    const { stdout } = spawnSync(process.execPath, [...nodeFlagsOf('jobs'), '-e', heapLimit], { encoding: 'utf8' });
    // The limit includes the young generation.
    expect(Number(stdout) / 2 ** 20).toBeGreaterThanOrEqual(1024);
    expect(Number(stdout) / 2 ** 20).toBeLessThan(1024 + 128);
  });
});

describe('a process that cannot be started', () => {
  // Simulates a limit of processes or file descriptors: fork emits an error and no exit.
  beforeAll(() => cluster.setupPrimary({ cwd: '/no/such/directory' }));
  afterAll(() => {
    delete cluster.settings.cwd;
  });

  it('has exited, and logs the reason', async () => {
    const metrics = new HostMetrics(() => []);
    const options = {
      entry: 'none.js',
      environment: {},
      unresponsiveTimeoutMs: 60_000,
      startIdleTimeoutMs: 60_000,
      metrics,
    };
    const made = new ManagedProcess('web', new IpcRouter(), options);
    expect(await made.exited).toEqual({ code: null, signal: expect.stringContaining('ENOENT') });
    expect([await made.ready, made.pid]).toEqual([false, 0]);
    await made.drain({ noticeMs: 0, deadlineMs: 60_000 } as never);
  });
});

describe('a process that is stuck in its start', () => {
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-start-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  it('is killed when it makes no progress, and the log says so', async () => {
    const entry = join(directory, 'entry.mjs');
    writeFileSync(entry, 'setInterval(() => {}, 1_000);');
    const metrics = new HostMetrics(() => []);
    const options = { entry, environment: {}, unresponsiveTimeoutMs: 60_000, startIdleTimeoutMs: 2_000, metrics };
    const stuck = new ManagedProcess('web', new IpcRouter(), options);

    expect(await stuck.ready).toBe(false);
    expect(stuck.describe(await stuck.exited)).toMatch(
      /^was not ready within \d+ s \(no progress for 2 s\) and ended with SIGKILL$/,
    );
  });
});
