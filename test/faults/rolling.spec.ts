import { setTimeout as sleep } from 'node:timers/promises';
import { scale } from '../support/scale.js';
import { until } from '../support/until.js';
import { publish, useServer } from '../support/server.js';
import type { LoadKind } from './suite/keep-alive-load.js';
import { readsAndWrites, restartUnderLoad, rollingLine } from './suite/rolling-restarts.js';

const RESTARTS = scale('rollingRestarts');
const CONNECTIONS = 12;

describe('rolling restarts of a server', () => {
  const served = useServer({ processes: 2, jobs: true });

  it(`${RESTARTS} fail no request, and announce the end of every connection`, async () => {
    const { host, url, author } = served;
    const { id } = await publish(served);
    const before = host.processes().map(({ pid }) => pid);
    // If a draining worker failed readiness, a balancer that probes over a kept connection would disable the whole address.
    const probe: LoadKind = { name: 'ready', request: () => ({ method: 'GET', path: '/health/ready' }) };
    const kinds = [...readsAndWrites(author.token, id), probe];
    const report = await restartUnderLoad({
      hosts: [host],
      url,
      restarts: RESTARTS,
      connections: CONNECTIONS,
      kinds,
    });
    console.log(rollingLine(report));
    expect(report.failures.slice(0, 5)).toEqual([]);
    expect(report.unannounced).toBe(0);
    // Every connection outlasted its process more than once.
    expect(report.announced).toBeGreaterThan(CONNECTIONS);
    const after = host.processes().map(({ pid }) => pid);
    expect(after).toHaveLength(5);
    expect(after.filter((pid) => before.includes(pid))).toEqual([host.pid]);
  });

  it('a stop during a restart ends all processes and starts no other', async () => {
    const { host } = served;
    const running = () => host.processes().map(({ pid }) => pid);
    const before = running();
    host.signal('SIGUSR2');
    // The first successor serves, and its predecessor drains.
    await until(() => host.readyWorkers('web').some((pid) => !before.includes(pid)) || null);
    const atStop = running();
    host.signal('SIGTERM');
    const later = new Set<number>();
    let hasEnded = false;
    const ended = host.exit().finally(() => (hasEnded = true));
    while (!hasEnded) {
      for (const pid of running()) if (!atStop.includes(pid)) later.add(pid);
      await sleep(100);
    }
    expect(await ended).toBe(0);
    expect([[...later], running()]).toEqual([[], []]);
  });
});

describe('a shutdown that is announced', () => {
  const served = useServer({ processes: 2, environment: { HTTP_SHUTDOWN_NOTICE_MS: '8000' } });

  it('GET /health/ready: 503 during the notice, while new connections are served', async () => {
    const { host, url } = served;
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    host.signal('SIGTERM');
    const fresh = (path: string): Promise<Response> => fetch(url + path, { headers: { connection: 'close' } });
    await until(async () => ((await fresh('/health/ready')).status === 503 ? true : null));
    for (let round = 0; round < 5; round++) {
      expect((await fresh('/v1/feed')).status).toBe(200);
      const ready = await fresh('/health/ready');
      expect([ready.status, ((await ready.json()) as { code: string }).code]).toEqual([503, 'shutting_down']);
      expect(ready.headers.get('retry-after')).toBe('1');
      expect((await fresh('/health/live')).status).toBe(200);
    }
    expect(await host.exit()).toBe(0);
  });
});
