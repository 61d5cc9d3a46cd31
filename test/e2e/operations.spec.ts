import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { packageVersion } from '../../src/config/package-version.js';
import { useApp } from '../support/app.js';
import { createClient, type TestClient } from '../support/client.js';
import { RawClient } from '../support/raw-client.js';
import { until } from '../support/until.js';
import { Readiness } from '../../src/platform/metrics/readiness.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';

/** Waits until the server is ready, because the database of a busy machine may miss the 750 ms of two pings. */
const ready = (client: TestClient, headers: Record<string, string> = {}) =>
  until(async () => {
    const answer = await client.get('/health/ready', { headers });
    return answer.status === 200 ? answer : null;
  });

describe('operations', () => {
  const app = useApp({ env: { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_READS_PER_MINUTE: '4' } });

  it('responds to the liveness probe without the database, and is never rate limited', async () => {
    for (let ask = 0; ask < 5; ask++) {
      const answer = await app.client.get('/health/live');
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ status: 'live', uptimeSeconds: expect.any(Number) as number });
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('ratelimit')).toBeNull();
    }
  });

  it('is ready while the database responds, with the age of the ranking', async () => {
    // Reads from the host itself, because a proxy does not pass on the details.
    expect((await ready(createClient(app.ownUrl))).body).toEqual({
      status: 'ready',
      role: 'web',
      databasePingMs: expect.any(Number) as number,
      details: expect.objectContaining({
        ranking: { epoch: 1, ageSeconds: null },
        // A bundle has a commit, too.
        build: expect.objectContaining({ version: packageVersion(), node: process.versions.node }) as object,
      }) as object,
    });
  });

  it('is not ready when the database has hung for three seconds, fails within one, shares a ping among probes, and recovers', async () => {
    let pings = 0;
    const hanging = app.everyOf(MongoService).map(({ db }) =>
      jest.spyOn(db, 'command').mockImplementation(() => {
        pings++;
        return new Promise(() => {});
      }),
    );
    const silent = () => app.client.get('/health/ready').then(({ status }) => (status === 503 ? status : null));
    await until(silent);
    await sleep(1_100);
    pings = 0;
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 10 }, () => app.client.get('/health/ready')));
    for (const { status, body, headers } of answers) {
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'database_unavailable', '1']);
    }
    expect(pings).toBeGreaterThanOrEqual(1);
    expect(pings).toBeLessThanOrEqual(1 + Math.floor((performance.now() - startedAt) / 1_000));
    expect((await app.client.get('/health/live')).status).toBe(200);
    for (const ping of hanging) ping.mockRestore();
    await ready(app.client);
  });

  it('stays ready when a single ping is late, for any time since the previous one', async () => {
    const client = createClient(app.ownUrl);
    await ready(client);
    await sleep(3_500);
    const hanging = app
      .everyOf(MongoService)
      .map(({ db }) => jest.spyOn(db, 'command').mockImplementation(() => new Promise(() => {})));
    const { status } = await client.get('/health/ready');
    expect(hanging.reduce((pings, { mock }) => pings + mock.calls.length, 0)).toBe(1);
    for (const ping of hanging) ping.mockRestore();
    expect(status).toBe(200);
  });

  it('does not count a late response as missing when its own event loop was blocked', async () => {
    const readiness = app.app.get(Readiness);
    const reported = async () => {
      // Waits until a ping is due.
      await sleep(1_100);
      const report = readiness.report(false).catch(() => null);
      // Sends the ping, then blocks the event loop for longer than a ping may take.
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      const end = performance.now() + 3_100;
      while (performance.now() < end);
      return report;
    };
    // mongod may lack CPU for this long once, but not each time.
    expect(await until(reported)).toMatchObject({ status: 'ready' });
  });
});

describe('the measures of a host', () => {
  const app = useApp({ direct: 'hosts that are one process of a spec share its registry' });

  it('are of every layer, by route pattern and never by address', async () => {
    const unknown = await app.client.get('/v1/users/nobody_is_here');
    expect(unknown.headers.get('server-timing')).toMatch(/^json;dur=\d+\.\d, total;dur=\d+\.\d$/);
    await app.client.get('/v1/feed');
    await app.client.get('/v1/feed');
    const { headers, body } = await createClient(app.ownUrl).get<string>('/metrics');
    expect(headers.get('content-type')).toContain('text/plain');
    const [version, node] = [packageVersion(), process.versions.node];
    expect(body.replace(/commit="[^"]*"/, 'commit=""')).toContain(
      `opencanvas_build_info{version="${version}",commit="",node="${node}"} 1`,
    );
    for (const name of [
      'opencanvas_http_request_seconds_bucket',
      'opencanvas_cache_hits_total',
      'opencanvas_cache_total',
      'opencanvas_mongo_command_seconds_bucket',
      'opencanvas_mongo_pool_wait_seconds_bucket',
      'opencanvas_mongo_pool_connections',
      'opencanvas_event_loop_delay_seconds',
      'opencanvas_group_commit_total',
      'opencanvas_group_commit_queued',
      'opencanvas_requests_in_flight',
      'opencanvas_tasks_waiting',
      'opencanvas_task_lag_seconds',
      'process_cpu_seconds_total',
    ]) {
      expect(body).toContain(`# TYPE ${name.replace(/_bucket$/, '')} `);
    }
    expect(body).toContain('route="/v1/users/:username"');
    expect(body).not.toContain('nobody_is_here');
    expect(body).toMatch(/opencanvas_cache_hits_total\{route="FeedController\.\w+"\} 1/);
  });
});

const HIDDEN = 'nginx gives /metrics to no client';

describe('/metrics', () => {
  const app = useApp({ direct: HIDDEN, env: { RATE_LIMIT_ENABLED: 'true' } });
  /** Two gatherings differ, at least in the CPU time of the process. */
  const gathers = (pages: { body: string }[]): number => new Set(pages.map(({ body }) => body)).size;

  it('is gathered once for all requests within a second', async () => {
    const startedAt = performance.now();
    const pages = await Promise.all(Array.from({ length: 100 }, () => app.client.get<string>('/metrics')));
    expect(pages.filter(({ status }) => status !== 200)).toEqual([]);
    expect(gathers(pages)).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - startedAt) / 1_000));
    await sleep(1_100);
    expect((await app.client.get<string>('/metrics')).body).not.toBe(pages[0]!.body);
  });

  it('has the same limit per connection as other requests, and does not delay them', async () => {
    const hot = '/v1/feed?limit=9';
    await app.client.get(hot);
    const client = new RawClient(app.url);
    const startedAt = performance.now();
    client.send('GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(400));
    const cached = await app.client.get(hot);
    expect([cached.status, cached.headers.get('x-cache')]).toEqual([200, 'HIT']);
    const answers = await until(() => {
      const found = client.answers();
      return found.length === 400 ? found : null;
    });
    const answered = answers.filter(({ status }) => status === 200);
    expect(gathers(answered)).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - startedAt) / 1_000));
    expect(answered.length).toBeLessThanOrEqual(16);
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(400 - answered.length);
    client.socket.destroy();
  });

  it('has the limit of reads, like every route except health', async () => {
    expect((await app.client.get('/metrics')).headers.get('ratelimit-policy')).toMatch(/^"reads"/);
    expect((await app.client.get('/health/ready')).headers.get('ratelimit-policy')).toBeNull();
  });

  it('may be read by no page of another origin', async () => {
    const headers = { origin: 'https://a.example' };
    const { status, headers: answered } = await app.client.get('/metrics', { headers });
    expect([status, answered.get('access-control-allow-origin')]).toEqual([200, null]);
    expect((await app.client.get('/v1/feed', { headers })).headers.get('access-control-allow-origin')).toBe('*');
  });

  it('is refused through an untrusted proxy, whose address says nothing about the client', async () => {
    for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
      const { status, headers, body } = await app.client.get('/metrics', { headers: { [name]: '127.0.0.1' } });
      expect([status, body.code, headers.get('access-control-allow-origin')]).toEqual([403, 'forbidden', null]);
    }
  });
});

describe('/metrics behind a proxy', () => {
  const app = useApp({
    direct: HIDDEN,
    env: { HTTP_TRUSTED_PROXIES: '127.0.0.1', HTTP_METRICS: 'loopback,10.1.0.0/16' },
  });
  const off = useApp({ direct: HIDDEN, env: { HTTP_METRICS: 'off' } });

  it('is allowed for the configured networks, by the address that the proxy forwards', async () => {
    const statusOf = async (address: string): Promise<number> =>
      (await app.client.get('/metrics', { headers: { 'x-forwarded-for': address } })).status;
    expect(await statusOf('10.1.2.3')).toBe(200);
    expect(await statusOf('10.2.2.3')).toBe(403);
    expect(await statusOf('203.0.113.9')).toBe(403);
    expect(await statusOf('127.0.0.1, 203.0.113.9')).toBe(403);
    expect((await app.client.get('/metrics')).status).toBe(200);
  });

  it('and the details of readiness are for the same networks: others learn only whether it is ready', async () => {
    const keysFor = async (address: string): Promise<string[]> =>
      Object.keys((await ready(app.client, { 'x-forwarded-for': address })).body);
    expect(await keysFor('203.0.113.9')).toEqual(['status', 'role', 'databasePingMs']);
    expect(await keysFor('10.1.2.3')).toContain('details');
  });

  it('is refused to every client when it is switched off', async () => {
    const { status, body } = await off.client.get('/metrics');
    expect([status, body.code, body.detail]).toEqual([
      ...[403, 'forbidden', 'Metrics are not available from 127.0.0.1. Name the address in HTTP_METRICS.'],
    ]);
  });
});
