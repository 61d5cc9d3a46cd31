import { useApp } from '../support/app.js';
import { Readiness } from '../../src/platform/observability/readiness.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';

describe('operations', () => {
  const app = useApp({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_READS_PER_MINUTE: '4' });

  it('says it lives without asking anybody, and is never rate limited', async () => {
    for (let ask = 0; ask < 5; ask++) {
      const answer = await app.client.get('/health/live');
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ status: 'live', uptimeSeconds: expect.any(Number) as number });
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('ratelimit')).toBeNull();
    }
  });

  it('says it is ready while the database answers, with the age of the ranking', async () => {
    const { status, body } = await app.client.get('/health/ready');
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'ready',
      role: 'web',
      databasePingMs: expect.any(Number) as number,
      details: expect.objectContaining({ ranking: { epoch: 1, ageSeconds: null } }) as object,
    });
  });

  it('is not ready within a second when the database hangs, asks it once for many probes, and recovers by itself', async () => {
    const mongo = app.app.get(MongoService);
    const command = mongo.db.command.bind(mongo.db);
    let pings = 0;
    Object.assign(mongo.db, {
      command: () => {
        pings++;
        return new Promise(() => {});
      },
    });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 10 }, () => app.client.get('/health/ready')));
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(pings).toBe(1);
    for (const { status, body, headers } of answers) {
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'database_unavailable', '1']);
    }
    expect((await app.client.get('/health/live')).status).toBe(200);
    Object.assign(mongo.db, { command });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await app.client.get('/health/ready')).status).toBe(200);
  });

  it('does not blame the database for its own event loop: an answer that is there by the time it looks counts', async () => {
    const readiness = app.app.get(Readiness);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const report = readiness.report();
    // the ping leaves, and then nothing is heard for longer than it may take
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    const until = performance.now() + 900;
    while (performance.now() < until);
    expect(await report).toMatchObject({ status: 'ready' });
  });

  it('measures every layer, by route pattern and never by address', async () => {
    const unknown = await app.client.get('/v1/users/nobody_is_here');
    expect(unknown.headers.get('server-timing')).toMatch(/^total;dur=\d+(\.\d)?$/);
    await app.client.get('/v1/feed');
    await app.client.get('/v1/feed');
    const { headers, body } = await app.client.get<string>('/metrics');
    expect(headers.get('content-type')).toContain('text/plain');
    for (const name of [
      'opencanvas_http_request_seconds_bucket',
      'opencanvas_door_answers_total',
      'opencanvas_cache_total',
      'opencanvas_mongo_command_seconds_bucket',
      'opencanvas_mongo_pool_wait_seconds_bucket',
      'opencanvas_mongo_pool_connections',
      'opencanvas_event_loop_delay_seconds',
      'opencanvas_group_commit_total',
      'opencanvas_group_commit_queued',
      'opencanvas_requests_in_flight',
      'opencanvas_sweep_backlog_tasks',
      'opencanvas_sweep_lag_seconds',
      'process_cpu_seconds_total',
    ]) {
      expect(body).toContain(`# TYPE ${name.replace(/_bucket$/, '')} `);
    }
    expect(body).toContain('route="/v1/users/:username"');
    expect(body).not.toContain('nobody_is_here');
    expect(body).toMatch(/opencanvas_door_answers_total\{route="FeedController\.\w+"\} 1/);
  });
});
