import { CounterSampleJob } from '../../src/audit/counter-sample.job.js';
import { DatabaseStateJob } from '../../src/platform/metrics/database-state.job.js';
import { ScoreEpochService } from '../../src/ranking/score-epoch.service.js';
import { EngagementJob } from '../../src/ranking/engagement.job.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { MetricsPage } from '../../src/platform/prometheus/metrics-page.js';
import { useApp } from '../support/app.js';
import { RawClient } from '../support/raw-client.js';
import { until } from '../support/until.js';
import { verbsOf } from '../support/verbs.js';

const NONE = 'no line has this text';

describe('the metrics of a server', () => {
  const app = useApp({
    direct: 'hosts that are one process of a spec share its registry',
    env: { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PREVIEWS_PER_MINUTE: '1' },
  });
  const { world } = app;
  const { send, ok } = verbsOf(app);
  /** A page is at most a second old, so a later one is read until it has the expected values. */
  const page = async (): Promise<MetricsPage> => new MetricsPage((await app.client.get<string>('/metrics')).body, NONE);
  const untilGrown = (before: MetricsPage, name: string, labels: Record<string, string>, by: number) =>
    until(async () => ((await page()).sum(name, labels) - before.sum(name, labels) >= by ? true : null));

  it('count every request by the way of its response, and the bytes of all', async () => {
    await app.client.get('/v1/feed?limit=3');
    const before = await page();

    const cached = [await app.client.get('/v1/feed?limit=3'), await app.client.get('/v1/feed?limit=3')];
    const etag = cached[0]!.headers.get('etag')!;
    const headers = { 'if-none-match': etag };
    expect((await app.client.get('/v1/feed?limit=3', { headers })).status).toBe(304);
    expect(cached.map((each) => each.headers.get('x-cache'))).toEqual(['HIT', 'HIT']);
    const native = new RawClient(app.url);
    native.send('GET /a\\b HTTP/1.1\r\nhost: x\r\n\r\n');
    await until(() => native.answers()[0] ?? null);
    native.send('this is not HTTP\r\n\r\n');
    await until(() => native.answers()[1] ?? null);
    native.socket.destroy();
    expect((await app.client.get('/v1/users/nobody_is_here')).status).toBe(404);

    await untilGrown(before, 'http_requests_total', { way: 'cached', status: '2xx' }, 2);
    const after = await page();
    const grown = (name: string, labels?: Record<string, string>): number =>
      after.sum(name, labels) - before.sum(name, labels);
    expect(grown('http_requests_total', { way: 'cached', status: '2xx' })).toBe(2);
    expect(grown('http_requests_total', { way: 'cached', status: '3xx' })).toBe(1);
    expect(grown('http_requests_total', { way: 'native', status: '4xx' })).toBe(2);
    expect(grown('http_requests_total', { way: 'framework', status: '4xx' })).toBe(1);
    const bodies = cached.reduce((sum, each) => sum + Number(each.headers.get('content-length')), 0);
    expect(grown('response_bytes_total')).toBeGreaterThan(bodies);
  });

  it('count sign-ins by outcome, and the time of their hashes', async () => {
    const person = await world.person({ overHttp: true });
    const before = await page();

    const login = (password: string) =>
      app.client.post('/v1/auth/login', { body: { login: person.username, password } });
    expect((await login('a wrong password')).status).toBe(401);
    expect((await login(person.password)).status).toBe(200);

    await untilGrown(before, 'sign_in_total', { outcome: 'invalid_credentials' }, 1);
    await untilGrown(before, 'sign_in_total', { outcome: 'done' }, 1);
    await untilGrown(before, 'hash_seconds_count', {}, 2);
  });

  it('count refusals of rate limits by policy', async () => {
    const person = await world.person();
    const before = await page();

    const preview = () => send(person, 'POST', 'render', { content: 'It weaves.' });
    expect((await preview()).status).toBe(200);
    expect((await preview()).status).toBe(429);

    await untilGrown(before, 'rate_limited_total', { policy: 'previews' }, 1);
  });

  it('have duration and items of each commit of a group', async () => {
    const [author, reader] = await world.people(2);
    const { id } = await world.post({ by: author });
    const before = await page();

    await ok(reader, 'PUT', `posts/${id}/vote`, { value: 'like' });

    await untilGrown(before, 'commit_seconds_count', {}, 1);
    await untilGrown(before, 'commit_items_sum', {}, 1);
  });

  it('count transactions that conflict', async () => {
    const mongo = app.app.get(MongoService);
    const rows = mongo.collection<{ _id: string; count: number }>('conflicting');
    await rows.insertOne({ _id: 'row', count: 0 });
    const before = await page();
    let [attempts, writes] = [0, 0];

    await mongo.transaction(async ({ session }) => {
      attempts++;
      await rows.findOne({ _id: 'row' }, { session });
      // Another writer is first.
      if (writes++ === 0) await rows.updateOne({ _id: 'row' }, { $inc: { count: 1 } });
      await rows.updateOne({ _id: 'row' }, { $inc: { count: 1 } }, { session });
    });

    expect(attempts).toBe(2);
    await untilGrown(before, 'conflicts_total', {}, 1);
    await rows.drop();
  });

  it('have the age of the ranks and the lease of a running job', async () => {
    const startedAt = Date.now();
    await app.app.get(EngagementJob).run();
    await app.app.get(ScoreEpochService).find();

    const now = await until(async () => {
      const current = await page();
      return current.list('epoch_age_seconds').length === 1 ? current : null;
    });

    // The ranks are no older than the run that made them.
    expect(now.sum('epoch_age_seconds')).toBeLessThanOrEqual((Date.now() - startedAt) / 1_000);
    expect(now.list('lease_held', { task: 'score' })).toEqual([{ labels: { task: 'score' }, value: 0 }]);
  });

  it('have the number of wrong counters in a sample of posts', async () => {
    await world.post({ by: await world.person() });
    const posts = app.app.get(MongoService).collection('posts');
    const sampled = async (expected: (differences: number) => boolean): Promise<void> => {
      await app.app.get(CounterSampleJob).run();
      await until(async () => {
        const [found] = (await page()).list('counter_differences');
        return found !== undefined && expected(found.value) ? true : null;
      });
    };
    await sampled((differences) => differences === 0);

    await posts.updateMany({}, { $inc: { 'stats.likesCount': 3 } });
    await sampled((differences) => differences > 0);

    await posts.updateMany({}, { $inc: { 'stats.likesCount': -3 } });
    await sampled((differences) => differences === 0);
  });

  it('have the state of MongoDB', async () => {
    await app.app.get(DatabaseStateJob).read();

    const now = await until(async () => {
      const current = await page();
      return current.list('mongo_connections').length === 2 ? current : null;
    });

    expect(now.sum('mongo_connections', { state: 'current' })).toBeGreaterThan(0);
    expect(now.list('mongo_oplog_window_seconds')).toEqual([{ labels: {}, value: expect.any(Number) }]);
    const [dirty] = now.list('mongo_dirty_ratio');
    expect(dirty!.value).toBeGreaterThanOrEqual(0);
    expect(dirty!.value).toBeLessThan(1);
    // one member: it has no secondary
    expect(now.list('mongo_replication_lag_seconds')).toEqual([]);
  });

  it('have the share of the time in which the event loop was busy', async () => {
    const [{ value } = { value: NaN }] = (await page()).list('loop_utilisation');
    expect(value).toBeGreaterThan(0);
    expect(value).toBeLessThanOrEqual(1);
  });
});
