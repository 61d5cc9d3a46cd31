import { type Binary, ObjectId } from 'mongodb';
import { startApp, type TestApp, useApp } from '../support/app.js';
import { insertPeople, type TestPerson } from '../support/people.js';

describe('events over HTTP', () => {
  const app = useApp();
  let author: TestPerson;
  let readers: TestPerson[];

  beforeAll(async () => {
    [author] = (await insertPeople(app, 1)) as [TestPerson];
    readers = await insertPeople(app, 20);
  });

  const publish = async (fields: object = {}): Promise<string> => {
    const body = { title: 'Events', content: 'Text.', type: 'article', ...fields };
    return (await app.client.post('/v1/posts', { token: author.token, body })).body.id;
  };
  const send = (id: string, kind: unknown, from: { token?: string; agent?: string; via?: TestApp } = {}) =>
    (from.via ?? app).client.post(`/v1/posts/${id}/events`, {
      token: from.token,
      headers: { 'user-agent': from.agent ?? 'one agent' },
      body: { kind },
    });
  const rowsOf = (id: string) => app.db.collection('post_events').countDocuments({ postId: new ObjectId(id) });
  const dayOf = (id: string) =>
    app.db.collection('post_event_days').findOne({ postId: new ObjectId(id) }, { projection: { postId: 0 } });

  it('count a viewer once, for each kind, and say so', async () => {
    const id = await publish();
    const first = await send(id, 'view');
    expect([first.status, first.body.counted, first.body.stats.viewsCount]).toEqual([200, true, 1]);
    const second = await send(id, 'view');
    expect([second.status, second.body.counted, second.body.stats.viewsCount]).toEqual([200, false, 1]);
    expect((await send(id, 'read')).body.counted).toBe(true);
    expect((await send(id, 'share')).body.counted).toBe(true);
    const other = await send(id, 'view', { agent: 'another agent' });
    expect(other.body).toEqual({
      counted: true,
      stats: { viewsCount: 2, readsCount: 1, sharesCount: 1, likesCount: 0, dislikesCount: 0, commentsCount: 0 },
    });
    expect(await rowsOf(id)).toBe(4);
    const day = new Date().toISOString().slice(0, 10);
    expect(await dayOf(id)).toEqual({ _id: `${id}:${day}`, day, views: 2, reads: 1, shares: 1 });
    const post = await app.client.get(`/v1/posts/${id}`);
    expect(post.body.stats).toEqual(other.body.stats);
  });

  it('know an account whatever device it uses, and tell it from the address it comes from', async () => {
    const id = await publish();
    const { token } = readers[0]!;
    expect((await send(id, 'view', { token, agent: 'phone' })).body.counted).toBe(true);
    expect((await send(id, 'view', { token, agent: 'desk' })).body.counted).toBe(false);
    expect((await send(id, 'view', { agent: 'desk' })).body.counted).toBe(true);
  });

  it('keep nothing that tells who it was', async () => {
    const id = await publish();
    await send(id, 'view', { token: readers[1]!.token, agent: 'a telling agent' });
    await send(id, 'view', { agent: 'a telling agent' });
    const rows = await app.db
      .collection('post_events')
      .find({ postId: new ObjectId(id) })
      .toArray();
    expect(rows.map((row) => Object.keys(row).sort())).toEqual(
      Array(2).fill(['_id', 'at', 'expiresAt', 'kind', 'postId']),
    );
    for (const row of rows) expect((row._id as unknown as Binary).length()).toBe(28);
    expect(JSON.stringify(rows)).not.toMatch(/telling|127\.0\.0\.1/);
    expect(rows[0]!.expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
    expect(rows[0]!.expiresAt.getTime()).toBeGreaterThan(Date.now());
  });

  it('cannot be multiplied by asking often and at once: 400 requests of 20 readers are 20 views, in two processes too', async () => {
    const id = await publish();
    const second = await startApp({ MONGODB_DATABASE: app.db.databaseName });
    try {
      const answers = await Promise.all(
        Array.from({ length: 400 }, (_, i) =>
          send(id, 'view', { token: readers[i % 20]!.token, via: i % 40 < 20 ? app : second }),
        ),
      );
      expect(answers.every(({ status }) => status === 200)).toBe(true);
      expect(answers.filter(({ body }) => body.counted)).toHaveLength(20);
      expect(Math.max(...answers.map(({ body }) => body.stats.viewsCount))).toBe(20);
    } finally {
      await second.close();
    }
    expect(await rowsOf(id)).toBe(20);
    expect((await dayOf(id))!.views).toBe(20);
    expect((await app.db.collection('posts').findOne({ _id: new ObjectId(id) }))!.stats.viewsCount).toBe(20);
  });

  it('of many posts share commits, and every caller gets the counts of its own', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => publish()));
    const answers = await Promise.all(
      readers.flatMap(({ token }) => ids.map(async (id) => ({ id, answer: await send(id, 'read', { token }) }))),
    );
    for (const id of ids) {
      const own = answers.filter((entry) => entry.id === id).map(({ answer }) => answer.body);
      expect(own.every(({ counted }) => counted)).toBe(true);
      expect(Math.max(...own.map(({ stats }) => stats.readsCount))).toBe(20);
    }
    const sums = await app.db
      .collection('posts')
      .aggregate([
        { $match: { _id: { $in: ids.map((id) => new ObjectId(id)) } } },
        { $lookup: { from: 'post_event_days', localField: '_id', foreignField: 'postId', as: 'days' } },
        { $match: { $expr: { $ne: ['$stats.readsCount', { $sum: '$days.reads' }] } } },
      ])
      .toArray();
    expect(sums).toEqual([]);
  });

  it('are not counted for hidden posts, and do not tell that there is one', async () => {
    const id = await publish({ isPublic: false });
    expect((await send(id, 'view', { token: readers[0]!.token })).body.code).toBe('post_not_found');
    expect((await send(id, 'view')).status).toBe(404);
    const own = await send(id, 'view', { token: author.token });
    expect([own.status, own.body.counted, own.body.stats.viewsCount]).toEqual([200, false, 0]);
    expect(await rowsOf(id)).toBe(0);
  });

  it('for one unknown post do not fail those they travel with', async () => {
    const id = await publish();
    const answers = await Promise.all([
      send(id, 'view'),
      send(new ObjectId().toHexString(), 'view'),
      send(id, 'share', { agent: 'x' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200]);
  });

  it.each([['like'], [''], [null], [{ $gt: '' }], [['view']], [undefined]])('refuse the kind %j', async (kind) => {
    const id = await publish();
    const answer = await send(id, kind);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_input']);
    expect((await app.client.post(`/v1/posts/${id}/events`, { body: { kind: 'view', count: 9 } })).status).toBe(400);
    expect((await send('nonsense', 'view')).body.code).toBe('invalid_id');
    expect(await rowsOf(id)).toBe(0);
  });
});
