import { ObjectId } from 'mongodb';
import { AuditService } from '../../src/audit/audit.service.js';
import { AppConfig } from '../../src/config/app-config.js';
import { AUTHOR_DAYS } from '../../src/views/author-day.schema.js';
import { POST_EVENT_DAYS } from '../../src/views/post-event.schema.js';
import { StatMonthsService } from '../../src/views/stat-months.service.js';
import { PostEventDaysService } from '../../src/views/post-event-days.service.js';
import type { Person } from '../support/world.js';
import { useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import { drainActivity, drainTasks, verbsOf } from '../support/verbs.js';

const DAY_MS = 86_400_000;
type Counts = Record<'views' | 'reads' | 'shares' | 'likes' | 'comments' | 'follows', number>;

describe('stats', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });
  const { world } = app;
  const { send, ok } = verbsOf(app);
  const fold = () => app.app.get(PostEventDaysService).fold(AbortSignal.timeout(60_000), Date.now() + 2 * DAY_MS);
  const sumOf = (series: Counts[], name: keyof Counts) => series.reduce((sum, bucket) => sum + bucket[name], 0);

  it('of a post add up to its counters, before and after the events are summed up by day', async () => {
    const [author, ...readers] = await world.people(4);
    const { id } = await world.post({ by: author });
    for (const [at, by] of readers.entries())
      for (const kind of ['view', 'read', 'share'].slice(0, 1 + at))
        await ok(by, 'POST', `posts/${id}/events`, { kind });
    const read = () => ok(author, 'GET', `posts/${id}/stats?bucket=month`);

    const recent = await read();
    expect(recent.totals).toEqual({ views: 3, reads: 2, shares: 1, likes: 0, comments: 0 });
    expect(recent.series).toHaveLength(30);
    expect(recent.readRatio).toBe(0.667);
    await fold();
    await ok(readers[0], 'POST', `posts/${id}/events`, { kind: 'read' });

    const { totals, series } = await read();
    expect(totals).toMatchObject({ views: 3, reads: 3, shares: 1 });
    for (const name of ['views', 'reads', 'shares'] as const) expect(sumOf(series, name)).toBe(totals[name]);
    const { differences } = await app.app.get(AuditService).audit(() => undefined);
    expect(differences).toBe(0);
  });

  it('count the referrers of views: 20 a day, the rest as other, pages of the site as internal', async () => {
    const [author, ...readers] = await world.people(25);
    const { id } = await world.post({ by: author });
    const view = (by: Person, fields: object) => send(by, 'POST', `posts/${id}/events`, { kind: 'view', ...fields });
    const own = new URL(app.app.get(AppConfig).site.api).hostname;
    for (const [at, by] of readers.entries())
      expect((await view(by, { referrer: at < 2 ? own : `site-${at}.example.org` })).status).toBe(200);
    for (const referrer of ['https://a.example', 'A.example', 'a'.repeat(254), ''])
      expectProblem(await view(author, { referrer }), 400, 'invalid_input');
    await ok(readers[0], 'POST', `posts/${id}/events`, { kind: 'read', referrer: 'reads.example.org' });
    await fold();

    for (const path of [`posts/${id}/stats`, 'users/me/stats']) {
      const { referrers } = await ok(author, 'GET', path);
      expect([referrers.length, referrers[0], referrers.at(-1)]).toEqual([
        21,
        { host: 'internal', views: 2 },
        { host: 'other', views: 3 },
      ]);
    }
  });

  it('keep days older than 400 days as months, with the same sums', async () => {
    const author = await world.person();
    const { id } = await world.post({ by: author });
    const [postId, authorId] = [new ObjectId(id), new ObjectId(author.id)];
    const counts = {
      views: 2,
      reads: 1,
      shares: 0,
      likes: 1,
      comments: 0,
      referrers: [{ key: 'a.example', count: 2 }],
    };
    const days = ['2021-03-04', '2021-03-05', '2021-04-01'];
    const rowsOf = (owner: string, fields: object) =>
      days.map((day) => ({ _id: `${owner}:${day}` as never, ...fields, day, ...counts }));
    const visitors = { visitorReads: 0, visitorShares: 0 };
    await app.db.collection(POST_EVENT_DAYS).insertMany(rowsOf(id, { postId, ...visitors }));
    const posts = [{ key: id, count: 2 }];
    await app.db.collection(AUTHOR_DAYS).insertMany(rowsOf(author.id, { authorId, follows: 0, posts }));
    await app.db
      .collection('posts')
      .updateOne({ _id: postId }, { $set: { 'stats.viewsCount': 6, 'stats.readsCount': 3 } });

    expect(await app.app.get(StatMonthsService).isDue()).toBe(true);
    await app.app.get(StatMonthsService).fold(AbortSignal.timeout(60_000));

    for (const [collection, owner] of [
      [POST_EVENT_DAYS, id],
      [AUTHOR_DAYS, author.id],
    ] as const) {
      const rows = await app.db
        .collection(collection)
        .find({ _id: new RegExp(`^${owner}`) })
        .toArray();
      expect(rows.map(({ _id, views, day }) => [String(_id), views, day])).toEqual([
        [`${owner}:2021-03`, 4, undefined],
        [`${owner}:2021-04`, 2, undefined],
      ]);
    }
    for (const path of [`posts/${id}/stats`, 'users/me/stats']) {
      const { series, referrers } = await ok(author, 'GET', `${path}?from=2021-03-01&to=2021-04-30&bucket=week`);
      const filled = series.filter(({ views }: Counts) => views > 0);
      expect(filled.map(({ at, views, likes }: Counts & { at: string }) => [at, views, likes])).toEqual([
        ['2021-03-01', 4, 2],
        ['2021-03-29', 2, 1],
      ]);
      expect(referrers).toEqual([{ host: 'a.example', views: 6 }]);
    }
    expect(await app.app.get(StatMonthsService).isDue()).toBe(false);
    expect((await app.app.get(AuditService).audit(() => undefined)).differences).toBe(0);
  });

  it('of an author sum up posts and followers, each like once, and keep a like that is taken back', async () => {
    const [author, reader, other] = await world.people(3);
    const first = await world.post({ by: author, title: 'First of two' });
    const second = await world.post({ by: author, title: 'Second of two' });
    for (const by of [reader, other]) await ok(by, 'POST', `posts/${second.id}/events`, { kind: 'view' });
    await ok(reader, 'POST', `posts/${first.id}/events`, { kind: 'view' });
    await ok(reader, 'PUT', `posts/${first.id}/vote`, { value: 'like' });
    await ok(reader, 'DELETE', `posts/${first.id}/vote`);
    await ok(reader, 'PUT', `posts/${first.id}/vote`, { value: 'like' });
    await ok(other, 'PUT', `posts/${second.id}/vote`, { value: 'like' });
    const comment = await world.comment({ by: reader, on: first.id });
    await ok(other, 'PUT', `comments/${comment.id}/vote`, { value: 'like' });
    await ok(reader, 'PUT', `users/${author.username}/follow`);
    await fold();
    await drainActivity(app);
    await drainActivity(app);

    const stats = await ok(author, 'GET', 'users/me/stats');
    const counts = { views: 3, reads: 0, shares: 0, likes: 2, comments: 1, follows: 1 };
    for (const [name, count] of Object.entries(counts))
      expect([name, sumOf(stats.series, name as keyof Counts)]).toEqual([name, count]);
    const top = stats.topPosts.map(({ title, views }: { title: string; views: number }) => [title, views]);
    expect(top).toEqual([
      ['Second of two', 2],
      ['First of two', 1],
    ]);

    await ok(other, 'DELETE', `posts/${second.id}/vote`);
    await world.deletePost(first.id, { by: author });
    const ofPost = await ok(author, 'GET', `posts/${second.id}/stats`);
    expect([ofPost.totals.likes, sumOf(ofPost.series, 'likes')]).toEqual([0, 1]);
    expect(sumOf((await ok(author, 'GET', 'users/me/stats')).series, 'views')).toBe(3);
    expectProblem(await send(author, 'GET', `posts/${first.id}/stats`), 404, 'post_not_found');
  });

  it('are for the author, also of a hidden post, and for admins', async () => {
    const [author, reader] = await world.people(2);
    const admin = await world.person({ role: 'admin' });
    const moderator = await world.person({ role: 'moderator' });
    const open = await world.post({ by: author });
    const hidden = await world.post({ by: author, isPublic: false });

    for (const { id } of [open, hidden])
      for (const by of [author, admin]) expect((await send(by, 'GET', `posts/${id}/stats`)).status).toBe(200);
    for (const by of [reader, moderator])
      expectProblem(await send(by, 'GET', `posts/${open.id}/stats`), 403, 'forbidden');
    expectProblem(await send(reader, 'GET', `posts/${hidden.id}/stats`), 404, 'post_not_found');
    expectProblem(await send(null, 'GET', `posts/${open.id}/stats`), 401, 'unauthorized');
  });

  it.each([
    ['from=2024-01-01&to=2026-01-01', 'invalid_range'],
    ['from=2026-01-02&to=2026-01-01', 'invalid_range'],
    ['to=2026-02-30', 'invalid_input'],
    ['bucket=year', 'invalid_input'],
  ])('refuse %s with %s', async (query, code) => {
    const author = await world.person();
    expectProblem(await send(author, 'GET', `users/me/stats?${query}`), 400, code);
  });

  it('of an account end with it', async () => {
    const [author, reader] = [await world.person({ overHttp: true }), await world.person()];
    const { id } = await world.post({ by: author });
    await ok(reader, 'POST', `posts/${id}/events`, { kind: 'view' });
    await fold();
    const rows = () => app.db.collection(AUTHOR_DAYS).countDocuments({ authorId: new ObjectId(author.id) });
    expect(await rows()).toBe(1);

    await ok(author, 'DELETE', 'users/me', { password: author.password });
    await drainTasks(app);
    expect(await rows()).toBe(0);
  });
});
