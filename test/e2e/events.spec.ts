import { type Binary, MongoNetworkError, ObjectId } from 'mongodb';
import { jest } from '@jest/globals';
import { AccessTokenService } from '../../src/platform/access/access-token.service.js';
import { AuditService } from '../../src/audit/audit.service.js';
import { PostEventDaysService } from '../../src/views/post-event-days.service.js';
import type { PostStats } from '../../src/posts/post-counters.js';
import { POST_EVENT_DAYS, POST_EVENTS } from '../../src/views/post-event.schema.js';
import { startApp, type TestApp, useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';

describe('events over HTTP', () => {
  const app = useApp({ env: { HTTP_TRUSTED_PROXIES: '127.0.0.1' } });
  const { world } = app;
  let author: Person;
  let readers: Person[];

  beforeAll(async () => {
    author = await world.person();
    readers = await world.people(20);
  });

  const publish = async (fields: object = {}): Promise<string> => {
    const body = { title: 'Events', content: 'Text.', type: 'article', ...fields };
    return (await app.client.post('/v1/posts', { token: author.token, body })).body.id;
  };
  type From = { token?: string; agent?: string; address?: string; via?: TestApp };
  const send = (id: string, kind: unknown, { token, agent = 'one agent', address, via = app }: From = {}) =>
    via.patient.post(`/v1/posts/${id}/events`, {
      token,
      headers: { 'user-agent': agent, ...(address !== undefined && { 'x-forwarded-for': address }) },
      body: { kind },
    });
  const rowsOf = (id: string) => app.db.collection(POST_EVENTS).countDocuments({ postId: new ObjectId(id) });
  const statsOf = async (id: string): Promise<PostStats> =>
    (await app.db.collection<{ stats: PostStats }>('posts').findOne({ _id: new ObjectId(id) }))!.stats;
  const daysOf = (id: string) =>
    app.db
      .collection(POST_EVENT_DAYS)
      .find({ postId: new ObjectId(id) }, { projection: { postId: 0 } })
      .toArray();
  const never = new AbortController().signal;
  const foldAt = (now: number) => app.app.get(PostEventDaysService).fold(never, now);
  const differences = async (): Promise<unknown[]> => {
    const found: unknown[] = [];
    await app.app.get(AuditService).audit((difference) => void found.push(difference));
    return found;
  };

  it('of an account are refused while the revoked tokens are unknown, and never counted as a visitor', async () => {
    const id = await publish();
    const { token } = readers[0]!;
    const outage = () => Promise.reject(new MongoNetworkError('the connection was closed'));
    const spies = app.everyOf(AccessTokenService).map((each) => jest.spyOn(each, 'confirm').mockImplementation(outage));
    const body = { kind: 'share' };
    expectProblem(await app.client.post(`/v1/posts/${id}/events`, { token, body }), 503, 'database_unavailable');
    expect((await app.client.get(`/v1/posts/${id}`, { token })).status).toBe(200);
    for (const spy of spies) spy.mockRestore();
    expect(await rowsOf(id)).toBe(0);
    expect((await send(id, 'share', { token })).body.counted).toBe(true);
  });

  it('count a viewer once for each kind, and return whether they counted', async () => {
    const id = await publish();
    const first = await send(id, 'view');
    expect([first.status, first.body]).toEqual([200, { counted: true }]);
    const second = await send(id, 'view');
    expect([second.status, second.body]).toEqual([200, { counted: false }]);
    expect((await send(id, 'read')).body.counted).toBe(true);
    expect((await send(id, 'share')).body.counted).toBe(true);
    expect((await send(id, 'view', { agent: 'another agent' })).body.counted).toBe(false);
    expect((await send(id, 'view', { address: '192.0.2.1' })).body.counted).toBe(true);
    expect(await rowsOf(id)).toBe(4);
    const counts = { viewsCount: 2, readsCount: 1, sharesCount: 1, likesCount: 0, dislikesCount: 0, commentsCount: 0 };
    expect(await statsOf(id)).toEqual(counts);
  });

  it('identify an account on any device, independent of its address', async () => {
    const id = await publish();
    const { token } = readers[0]!;
    expect((await send(id, 'view', { token, agent: 'phone' })).body.counted).toBe(true);
    expect((await send(id, 'view', { token, agent: 'desk' })).body.counted).toBe(false);
    expect((await send(id, 'view', { agent: 'desk' })).body.counted).toBe(true);
  });

  it('store nothing that identifies the viewer', async () => {
    const id = await publish();
    await send(id, 'view', { token: readers[1]!.token, agent: 'a telling agent' });
    await send(id, 'view', { agent: 'a telling agent' });
    const rows = await app.db
      .collection(POST_EVENTS)
      .find({ postId: new ObjectId(id) })
      .toArray();
    expect(rows.map((row) => Object.keys(row).sort().join()).sort()).toEqual([
      '_id,at,isVisitor,kind,postId',
      '_id,at,kind,postId',
    ]);
    for (const row of rows) expect((row._id as unknown as Binary).length()).toBe(28);
    expect(JSON.stringify(rows)).not.toMatch(/telling|127\.0\.0\.1/);
  });

  it('count once in frequent and concurrent requests: 400 requests of 20 readers are 20 views, also in two processes', async () => {
    const id = await publish();
    const second = await startApp({ beside: app });
    try {
      const answers = await Promise.all(
        Array.from({ length: 400 }, (_, i) =>
          send(id, 'view', { token: readers[i % 20]!.token, via: i % 40 < 20 ? app : second }),
        ),
      );
      expect(answers.every(({ status }) => status === 200)).toBe(true);
      expect(answers.filter(({ body }) => body.counted)).toHaveLength(20);
    } finally {
      await second.close();
    }
    expect(await rowsOf(id)).toBe(20);
    expect((await statsOf(id)).viewsCount).toBe(20);
  });

  it('of many posts share commits, and each is counted on its own post', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => publish()));
    const answers = await Promise.all(
      readers.flatMap(({ token }) => ids.map(async (id) => ({ id, answer: await send(id, 'read', { token }) }))),
    );
    for (const id of ids) {
      const own = answers.filter((entry) => entry.id === id).map(({ answer }) => answer.body);
      expect(own.every(({ counted }) => counted)).toBe(true);
      expect((await statsOf(id)).readsCount).toBe(20);
    }
    expect(await differences()).toEqual([]);
  });

  it('are folded into a day of their post after the end of their window, and the counters stay', async () => {
    const id = await publish();
    for (const { token } of readers) await send(id, 'view', { token });
    await send(id, 'read');
    await foldAt(Date.now());
    expect(await rowsOf(id)).toBe(21);
    const day = new Date().toISOString().slice(0, 10);
    const tomorrow = Date.parse(day) + 24 * 3_600_000;
    // The last events may not be committed yet.
    await foldAt(tomorrow + 60_000);
    expect([await rowsOf(id), await daysOf(id)]).toEqual([21, []]);
    expect(await differences()).toEqual([]);
    const later = tomorrow + 600_000;
    expect(await app.app.get(PostEventDaysService).isDue(later)).toBe(true);
    expect(await foldAt(later)).toBeGreaterThanOrEqual(21);
    const counts = { views: 20, reads: 1, shares: 0, visitorReads: 1, visitorShares: 0, likes: 0, comments: 0 };
    const folded = { _id: `${id}:${day}`, day, ...counts };
    expect([await rowsOf(id), await daysOf(id)]).toEqual([0, [folded]]);
    expect(await foldAt(later)).toBe(0);
    expect(await differences()).toEqual([]);
    // The fold adds later events of the same day.
    await send(id, 'view', { address: '192.0.2.1' });
    await foldAt(later);
    expect(await daysOf(id)).toEqual([{ ...folded, views: 21 }]);
    expect(await differences()).toEqual([]);
  });

  it('are counted exactly during folding, also by two concurrent processes', async () => {
    const id = await publish();
    const second = await startApp({ beside: app });
    try {
      const later = Date.now() + 48 * 3_600_000;
      let isOver = false;
      const folding = [app, second].map(async ({ app: nest }) => {
        while (!isOver) await nest.get(PostEventDaysService).fold(never, later).catch(ignoreDuplicateDay);
      });
      for (let round = 0; round < 30; round++) {
        await Promise.all(readers.map((_, reader) => send(id, 'view', { address: `10.${round}.${reader}.1` })));
        if (round % 10 === 0) expect(await differences()).toEqual([]);
      }
      isOver = true;
      await Promise.all(folding);
      await foldAt(later);
    } finally {
      await second.close();
    }
    expect((await daysOf(id)).map(({ views }) => views as number)).toEqual([600]);
    expect(await differences()).toEqual([]);
  });

  it('are stored although their collection does not exist yet', async () => {
    const id = await publish();
    await foldAt(Date.now() + 48 * 3_600_000);
    await app.db.dropCollection(POST_EVENTS);
    expect((await send(id, 'view')).body.counted).toBe(true);
    expect((await send(id, 'view')).body.counted).toBe(false);
    expect(await differences()).toEqual([]);
  });

  it('are not counted for hidden posts, and do not reveal them', async () => {
    const id = await publish({ isPublic: false });
    expect((await send(id, 'view', { token: readers[0]!.token })).body.code).toBe('post_not_found');
    expect((await send(id, 'view')).status).toBe(404);
    const own = await send(id, 'view', { token: author.token });
    expect([own.status, own.body]).toEqual([200, { counted: false }]);
    expect([await rowsOf(id), (await statsOf(id)).viewsCount]).toEqual([0, 0]);
  });

  it('are counted for unlisted posts, also in a batch with others', async () => {
    const [unlisted, id] = [await publish({ visibility: 'unlisted' }), await publish()];
    const answers = await Promise.all([send(unlisted, 'view'), send(id, 'view'), send(unlisted, 'view')]);
    expect(answers.map(({ status, body }) => [status, body.counted])).toEqual(
      expect.arrayContaining([
        [200, true],
        [200, true],
        [200, false],
      ]),
    );
    expect([(await statsOf(unlisted)).viewsCount, (await statsOf(id)).viewsCount]).toEqual([1, 1]);
    expect(await differences()).toEqual([]);
  });

  it('for unknown, deleted and hidden posts do not fail the others of their batch, or count them twice', async () => {
    const [id, deleted, hidden] = [await publish(), await publish(), await publish({ isPublic: false })];
    expect((await send(deleted, 'view')).status).toBe(200);
    const gone = await app.client.delete(`/v1/posts/${deleted}`, { token: author.token });
    expect(gone.status).toBe(204);
    for (let round = 0; round < 5; round++) {
      const address = `10.0.${round}.1`;
      const answers = await Promise.all([
        send(id, 'view', { address }),
        send(new ObjectId().toHexString(), 'view', { address }),
        send(id, 'share', { address }),
        // A view of this post was stored before its deletion.
        send(deleted, 'view'),
        send(deleted, 'view', { address }),
        send(hidden, 'view', { address, token: author.token }),
        send(hidden, 'view', { address, token: readers[0]!.token }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 404, 404, 200, 404]);
      expect(await statsOf(id)).toMatchObject({ viewsCount: round + 1, sharesCount: round + 1 });
    }
    expect([await rowsOf(id), await rowsOf(hidden)]).toEqual([10, 0]);
    expect(await differences()).toEqual([]);
  });

  it.each([['like'], [''], [null], [{ $gt: '' }], [['view']], [undefined]])('refuse the kind %j', async (kind) => {
    const id = await publish();
    const answer = await send(id, kind);
    expectProblem(answer, 400, 'invalid_input');
    expect((await app.client.post(`/v1/posts/${id}/events`, { body: { kind: 'view', count: 9 } })).status).toBe(400);
    expect((await send('nonsense', 'view')).body.code).toBe('invalid_id');
    expect(await rowsOf(id)).toBe(0);
  });
});

/** Ignores the duplicate key of two concurrent folds of one day, because the next run folds the day again. */
function ignoreDuplicateDay(error: unknown): void {
  if ((error as { code?: unknown }).code !== 11_000) throw error;
}
