import { SiteDaysJob } from '../../src/admin/site-days.job.js';
import { useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import { drainActivity, drainTasks, verbsOf } from '../support/verbs.js';
import type { Person } from '../support/world.js';

const DAY_MS = 86_400_000;
const dayAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

describe('GET /v1/admin/stats', () => {
  const app = useApp();
  const { world } = app;
  const { ok } = verbsOf(app);
  const count = () => app.app.get(SiteDaysJob).run(new AbortController().signal);
  let admin: Person;
  const read = (query = '') => ok(admin, 'GET', `admin/stats${query}`);

  beforeAll(async () => {
    admin = await world.person({ role: 'admin' });
    // Signs up over HTTP: a session, and a mail with a link.
    const [author, reader] = [await world.person({ overHttp: true }), await world.person()];
    const { id } = await world.post({ by: author });
    await world.post({ by: author, isPublic: false });
    await world.comment({ by: reader, on: id });
    await ok(reader, 'PUT', `posts/${id}/vote`, { value: 'like' });
    await world.report({ by: reader, on: id });
    await drainActivity(app);
    await drainTasks(app);
    await world.moderate({ kind: 'lock', targetKind: 'post', targetId: id });
    const firstAt = new Date(Date.now() - 5_400_000);
    await app.db.collection('report_cases').updateMany({}, { $set: { firstAt } });
    await count();
  });

  it('has the figures of the day, and zeros for days before', async () => {
    const { from, to, bucket, series } = await read();
    expect([from, to, bucket, series.length]).toEqual([dayAgo(29), dayAgo(0), 'day', 30]);
    const today = series.at(-1);
    expect(today).toMatchObject({ at: dayAgo(0), newAccounts: 3, activeAccounts: 1, posts: 1, comments: 1 });
    expect(today).toMatchObject({ likes: 1, reports: 1, storageBytes: expect.any(Number) });
    expect(today.mails).toBeGreaterThan(0);
    expect(Math.round(today.firstActionSeconds / 60)).toBe(90);
    expect(series[0]).toEqual({
      ...{ at: dayAgo(29), newAccounts: 0, activeAccounts: 0, posts: 0, comments: 0, likes: 0, reports: 0, mails: 0 },
      ...{ firstActionSeconds: null, storageBytes: null },
    });
  });

  it('counts a day again while it lasts, and after a pause the days since', async () => {
    await world.person();
    await app.db.collection('site_days').deleteMany({ _id: { $gt: dayAgo(3) as never } });
    await count();
    expect(await app.db.collection('site_days').countDocuments()).toBe(31);
    expect((await read()).series.at(-1).newAccounts).toBe(4);
  });

  it('adds the days of a week or month', async () => {
    await app.db.collection('site_days').deleteMany({});
    const zeros = { comments: 0, likes: 0, reports: 0, mails: 0 };
    const days = [
      { _id: '2025-03-03', newAccounts: 2, activeAccounts: 7, posts: 1, firstActionSeconds: 30, storageBytes: 100 },
      { _id: '2025-03-09', newAccounts: 3, activeAccounts: 5, posts: 4, firstActionSeconds: null, storageBytes: 200 },
      { _id: '2025-03-10', newAccounts: 9, activeAccounts: 1, posts: 9, firstActionSeconds: 10, storageBytes: 300 },
    ].map((day) => ({ ...day, ...zeros }));
    await app.db.collection<{ _id: string }>('site_days').insertMany(days);
    const { series } = await read('?from=2025-03-03&to=2025-03-10&bucket=week');
    expect(series).toMatchObject([
      { at: '2025-03-03', newAccounts: 5, activeAccounts: 7, posts: 5, firstActionSeconds: 30, storageBytes: 200 },
      { at: '2025-03-10', newAccounts: 9, activeAccounts: 1, posts: 9, firstActionSeconds: 10, storageBytes: 300 },
    ]);

    const { body, headers } = await app.client.get('/v1/admin/stats?from=2025-03-10&to=2025-03-10&format=csv', {
      token: admin.token,
    });
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(String(body)).toBe(
      'at,newAccounts,activeAccounts,posts,comments,likes,reports,firstActionSeconds,mails,storageBytes\r\n' +
        '2025-03-10,9,1,9,0,0,0,10,0,300\r\n',
    );
  });

  it('refuses more than 400 buckets, and other accounts', async () => {
    const { token } = admin;
    expectProblem(
      await app.client.get('/v1/admin/stats?from=2024-01-01&to=2026-01-01', { token }),
      400,
      'invalid_range',
    );
    const moderator = await world.person({ role: 'moderator' });
    expectProblem(await app.client.get('/v1/admin/stats', { token: moderator.token }), 403, 'forbidden');
  });
});
