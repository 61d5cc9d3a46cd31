import { setTimeout as sleep } from 'node:timers/promises';
import { scale } from '../support/scale.js';
import { until } from '../support/until.js';
import { publish, useServed } from '../support/served.js';
import type { LoadKind } from './suite/keep-alive-load.js';
import { readsAndWrites, restartUnderLoad, rollingLine } from './suite/rolling-restarts.js';

const RESTARTS = scale('rollingRestarts');
const CONNECTIONS = 12;

describe('rolling restarts of the whole server', () => {
  const served = useServed({ HTTP_WORKERS: '2', JOBS_ENABLED: 'true' });

  it(`fails no request over ${RESTARTS} restarts, and tells every connection before it ends`, async () => {
    const { host, url, author } = served;
    const { id } = await publish(served);
    const before = host.processes().map(({ pid }) => pid);
    // a balancer that probes over a kept connection would take the whole address out if the worker that drains said no
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
    // every connection met the end of its process more than once
    expect(report.announced).toBeGreaterThan(CONNECTIONS);
    for (const { name } of kinds) expect(report.requests[name]).toBeGreaterThan(50);
    const after = host.processes().map(({ pid }) => pid);
    expect(after).toHaveLength(5);
    expect(after.filter((pid) => before.includes(pid))).toEqual([host.pid]);
  });
});

describe('a stop during a rolling restart', () => {
  const served = useServed({ HTTP_WORKERS: '2', JOBS_ENABLED: 'true' });

  it('ends all processes and begins no other', async () => {
    const { host } = served;
    const running = () => host.processes().map(({ pid }) => pid);
    const before = running();
    host.signal('SIGUSR2');
    // the first successor serves, and the one before it drains
    await until(() => (host.workers('web').some((pid) => !before.includes(pid)) ? true : null));
    await sleep(2_000);
    const atStop = running();
    host.signal('SIGTERM');
    const later = new Set<number>();
    let hasEnded = false;
    const ended = host.exit().finally(() => (hasEnded = true));
    while (!hasEnded) {
      for (const pid of running()) if (!atStop.includes(pid)) later.add(pid);
      await sleep(20);
    }
    expect(await ended).toBe(0);
    expect([[...later], running()]).toEqual([[], []]);
  });
});

describe('a shutdown that is announced', () => {
  const served = useServed({ HTTP_WORKERS: '2', HTTP_SHUTDOWN_NOTICE_MS: '4000' });

  it('says 503 at /health/ready, stays live and serves new connections until the notice is over', async () => {
    const { host, url } = served;
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    const signalledAt = performance.now();
    host.signal('SIGTERM');
    const fresh = (path: string): Promise<Response> => fetch(url + path, { headers: { connection: 'close' } });
    await until(async () => ((await fresh('/health/ready')).status === 503 ? true : null));
    let served200 = 0;
    while (performance.now() - signalledAt < 3_000) {
      expect((await fresh('/v1/feed')).status).toBe(200);
      const ready = await fresh('/health/ready');
      expect([ready.status, ((await ready.json()) as { code: string }).code]).toEqual([503, 'shutting_down']);
      expect(ready.headers.get('retry-after')).toBe('1');
      expect((await fresh('/health/live')).status).toBe(200);
      served200++;
    }
    expect(served200).toBeGreaterThan(3);
    expect(await host.exit()).toBe(0);
  });
});
