import { randomBytes } from 'node:crypto';
import { Binary, ObjectId } from 'mongodb';
import { CommentWritesService } from '../../src/comments/comment-writes.service.js';
import { startApp, useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';
import { idsOf, verbsOf } from '../support/verbs.js';
import type { IdempotencyKey } from '../../src/platform/mongo/transaction-rows.js';

const app = useApp();
const { world } = app;
let author: Person;
let reader: Person;
let stranger: Person;
let moderator: Person;

beforeAll(async () => {
  [author, reader, stranger] = await world.people(3);
  moderator = await world.person({ role: 'moderator' });
});
afterEach(async () => {
  expect(await differences(app.db)).toEqual([]);
});

const storedPost = (id: string) => app.db.collection('posts').findOne({ _id: new ObjectId(id) });
const comment = (postId: string, body: unknown, token = reader.token) =>
  app.client.post(`/v1/posts/${postId}/comments`, { token, body });

describe('POST /v1/posts/:id/comments', () => {
  it('creates a comment, with its Location and author', async () => {
    const post = await world.post({ by: author });
    const { status, headers, body } = await comment(post.id, { content: '  The third table settles it. ' });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/v1/comments/${body.id}`);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      postId: post.id,
      parentId: null,
      author: { id: reader.id, username: reader.username, fullName: expect.any(String), profilePicture: null },
      content: 'The third table settles it.',
      stats: { likesCount: 0, dislikesCount: 0, repliesCount: 0 },
      isEdited: false,
      isDeleted: false,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: body.createdAt,
    });
    expect((await app.client.get(headers.get('location')!)).body).toEqual(body);
  });

  it('counts 200 concurrent comments and replies over two servers, each once', async () => {
    const other = await startApp({ beside: app });
    try {
      const post = await world.post({ by: author });
      const root = await world.comment({ by: reader, on: post.id });
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          (index % 2 === 0 ? app : other).patient.post(`/v1/posts/${post.id}/comments`, {
            token: reader.token,
            body: { content: `number ${index}`, ...(index % 4 < 2 ? { parentId: root.id } : {}) },
          }),
        ),
      );
      expect(answers.filter(({ status }) => status !== 201).map(({ body }) => body)).toEqual([]);
      expect((await storedPost(post.id))!.stats.commentsCount).toBe(201);
      expect((await app.client.get(`/v1/comments/${root.id}`)).body.stats.repliesCount).toBe(100);
    } finally {
      await other.close();
    }
  });

  it('allows threads of 30 replies in depth', async () => {
    const post = await world.post({ by: author });
    let parentId: string | null = null;
    for (let depth = 0; depth <= 30; depth++)
      parentId = (await world.comment({ by: reader, on: post.id, parentId })).id;
    const { status, body } = await comment(post.id, { content: 'deeper', parentId });
    expect([status, body.code, body.errors[0].field]).toEqual([400, 'comment_too_deep', 'parentId']);
  });

  it('refuses a parent of another post, a deleted one and one that is not there', async () => {
    const [post, elsewhere] = await Promise.all([world.post({ by: author }), world.post({ by: author })]);
    const foreign = await world.comment({ by: reader, on: elsewhere.id });
    const deleted = await world.comment({ by: reader, on: post.id });
    await app.client.delete(`/v1/comments/${deleted.id}`, { token: reader.token });
    const codeOf = async (parentId: unknown) => (await comment(post.id, { content: 'hm', parentId })).body.code;
    expect(await codeOf(foreign.id)).toBe('parent_mismatch');
    expect(await codeOf(deleted.id)).toBe('comment_not_found');
    expect(await codeOf(new ObjectId().toHexString())).toBe('comment_not_found');
    expect(await codeOf('nonsense')).toBe('invalid_input');
    expect(await codeOf({ $ne: null })).toBe('invalid_input');
  });

  it('refuses empty and oversized text, unknown fields and strangers to the house', async () => {
    const post = await world.post({ by: author });
    for (const body of [{}, { content: '' }, { content: '   ' }, { content: 'x'.repeat(1_001) }, { content: 7 }]) {
      const answer = await comment(post.id, body);
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'content']);
    }
    expect((await comment(post.id, { content: 'hm', authorId: author.id })).status).toBe(400);
    expect((await app.client.post(`/v1/posts/${post.id}/comments`, { body: { content: 'hm' } })).status).toBe(401);
    expect((await comment('nonsense', { content: 'hm' })).body.code).toBe('invalid_id');
    expect((await storedPost(post.id))!.stats.commentsCount).toBe(0);
  });

  it('returns the first response byte for byte to a repeated Idempotency-Key, and counts once', async () => {
    const post = await world.post({ by: author });
    const createWithKey = (content: string, key: string) =>
      app.client.post(`/v1/posts/${post.id}/comments`, {
        token: reader.token,
        body: { content },
        headers: { 'idempotency-key': key },
      });
    const storm = await Promise.all(Array.from({ length: 10 }, () => createWithKey('once', 'one')));
    const created = storm.filter(({ status }) => status === 201);
    expect(created.length).toBeGreaterThan(0);
    expect(storm.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    const again = await createWithKey('once', 'one');
    expect([again.status, again.body]).toEqual([201, created[0]!.body]);
    expect(again.headers.get('location')).toBe(created[0]!.headers.get('location'));
    expect((await createWithKey('something else', 'one')).status).toBe(422);
    expect((await storedPost(post.id))!.stats.commentsCount).toBe(1);
  });

  it('stores the response under its key together with the comment, or neither', async () => {
    const post = await world.post({ by: author });
    const stored = (key: IdempotencyKey): Promise<number> =>
      app.db.collection('idempotency_keys').countDocuments({ _id: new Binary(Buffer.from(key.id, 'base64')) as never });
    const newKey = (): IdempotencyKey => {
      const random = (): string => randomBytes(32).toString('base64');
      return { id: random(), earlierIds: [], fingerprint: random() };
    };
    const create = (key: IdempotencyKey): Promise<unknown> =>
      app.app
        .get(CommentWritesService)
        .create({ viewer: reader.viewer, idempotencyKey: key }, new ObjectId(post.id), { content: 'once' });
    // Sends one key five times concurrently, with other keys in the same batch.
    const keys = [newKey(), newKey(), newKey()];
    const answers = await Promise.allSettled(
      [...Array<IdempotencyKey>(5).fill(keys[0]!), keys[1]!, keys[2]!].map(create),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled').length).toBe(3);
    expect((await storedPost(post.id))!.stats.commentsCount).toBe(3);
    expect(await Promise.all(keys.map(stored))).toEqual([1, 1, 1]);
  });
});

describe('COMMENT_MAX_LENGTH', () => {
  it('is the limit of new and edited texts in characters, and stands in the settings of the site', async () => {
    const longer = await startApp({ beside: app, env: { COMMENT_MAX_LENGTH: '2000' } });
    try {
      const { id } = await longer.world.post({ by: author });
      const [content, tooLong] = ['\u{1f600}'.repeat(2_000), 'x'.repeat(2_001)];
      const create = (text: string) =>
        longer.client.post(`/v1/posts/${id}/comments`, { token: reader.token, body: { content: text } });
      const created = await create(content);
      const edit = { token: reader.token, body: { content: tooLong } };

      expect([created.status, created.body.content]).toEqual([201, content]);
      const refused = [await create(tooLong), await longer.client.patch(`/v1/comments/${created.body.id}`, edit)];
      for (const response of refused) {
        expectProblem(response, 400, 'invalid_input');
        expect(response.body.errors).toEqual([{ field: 'content', message: 'must be 1 to 2000 characters' }]);
      }
      expect((await longer.client.get('/v1/instance')).body.limits.commentLength).toBe(2_000);
      // Another host may have a lower limit.
      expect((await app.client.get(`/v1/comments/${created.body.id}`)).body.content).toBe(content);
    } finally {
      await longer.close();
    }
  });
});

describe('comments of posts that may not be read', () => {
  it('are visible to the author of the post only, on every route', async () => {
    const post = await world.post({ by: author });
    const root = await world.comment({ by: reader, on: post.id });
    await world.comment({ by: author, on: post.id, parentId: root.id });
    const paths = [`/v1/posts/${post.id}/comments`, `/v1/comments/${root.id}`, `/v1/comments/${root.id}/replies`];
    const statuses = (token?: string) =>
      Promise.all(paths.map(async (path) => (await app.client.get(path, token === undefined ? {} : { token })).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    await world.editPost(post.id, { by: author, isPublic: false });
    expect(await statuses()).toEqual([404, 404, 404]);
    expect(await statuses(reader.token)).toEqual([404, 404, 404]);
    expect(await statuses(author.token)).toEqual([200, 200, 200]);
    expect((await comment(post.id, { content: 'let me in' })).status).toBe(404);
    const others = { token: stranger.token };
    expect((await app.client.patch(`/v1/comments/${root.id}`, { ...others, body: { content: 'x' } })).status).toBe(404);
    expect((await app.client.delete(`/v1/comments/${root.id}`, others)).status).toBe(404);
    await world.deletePost(post.id, { by: author });
    expect(await statuses(author.token)).toEqual([404, 404, 404]);
  });
});

describe('GET /v1/comments/html', () => {
  const htmlOf = async (ids: string[], token?: string) =>
    (await app.client.get(`/v1/comments/html?ids=${ids.join()}`, token === undefined ? {} : { token })).body.data;

  it('has comments as HTML in the order of the ids, the present text of each', async () => {
    const post = await world.post({ by: author });
    const first = await world.comment({ by: reader, on: post.id, content: 'One *word*.' });
    const second = await world.comment({ by: reader, on: post.id, content: 'a <b>' });
    const rendered = [
      { id: second.id, html: '<p>a &#x3C;b></p>' },
      { id: first.id, html: '<p>One <em>word</em>.</p>' },
    ];

    expect(await htmlOf([second.id, first.id])).toEqual(rendered);
    expect(await htmlOf([second.id, first.id])).toEqual(rendered);

    const edit = { token: reader.token, body: { content: 'Another **word**.' } };
    expect((await app.client.patch(`/v1/comments/${first.id}`, edit)).status).toBe(200);
    expect(await htmlOf([first.id])).toEqual([{ id: first.id, html: '<p>Another <strong>word</strong>.</p>' }]);
  });

  it('is the text itself if the HTML of its table would be large', async () => {
    const post = await world.post({ by: author });
    const table = `|${'a|'.repeat(120)}\n|${'-|'.repeat(120)}\n${'|\n'.repeat(200)}`.trim();
    const { id } = await world.comment({ by: reader, on: post.id, content: table });

    const [{ html }] = await htmlOf([id]);

    expect(html.replaceAll('<br>', '')).toBe(`<p>${table}</p>`);
  });

  it('has no deleted or unreadable comments, and does not store them', async () => {
    const post = await world.post({ by: author });
    const comment = await world.comment({ by: reader, on: post.id });
    await world.comment({ by: author, on: post.id, parentId: comment.id });
    expect(await htmlOf([comment.id])).toHaveLength(1);

    expect((await app.client.delete(`/v1/comments/${comment.id}`, { token: reader.token })).status).toBe(204);
    expect(await htmlOf([comment.id], author.token)).toEqual([]);
    const row = await app.db.collection('comments').findOne({ _id: new ObjectId(comment.id) });
    expect([row!.content, row!.html]).toEqual(['', undefined]);

    const hidden = await world.comment({ by: reader, on: post.id });
    await world.editPost(post.id, { by: author, isPublic: false });
    expect(await htmlOf([hidden.id], reader.token)).toEqual([]);
    expect(await htmlOf([hidden.id], author.token)).toHaveLength(1);
  });
});

describe('GET /v1/posts/:id/comments and /v1/comments/:id/replies', () => {
  it('are listed in full pages in both directions, each comment once, top level and replies separately', async () => {
    const post = await world.post({ by: author });
    const roots: string[] = [];
    for (let index = 0; index < 7; index++) roots.push((await world.comment({ by: reader, on: post.id })).id);
    const replies: string[] = [];
    for (let index = 0; index < 5; index++)
      replies.push((await world.comment({ by: author, on: post.id, parentId: roots[3] })).id);
    const { walk } = verbsOf(app);
    const idsIn = async (path: string, sort: string, limit: number) => idsOf(await walk(`${path}?sort=${sort}`, limit));
    for (const limit of [1, 3, 7, 100]) {
      expect(await idsIn(`posts/${post.id}/comments`, 'oldest', limit)).toEqual(roots);
      expect(await idsIn(`posts/${post.id}/comments`, 'newest', limit)).toEqual([...roots].reverse());
      expect(await idsIn(`comments/${roots[3]}/replies`, 'oldest', limit)).toEqual(replies);
    }
    const { body } = await app.client.get(`/v1/posts/${post.id}/comments?limit=1&sort=oldest`);
    const foreign = await app.client.get(`/v1/posts/${post.id}/comments?cursor=${body.page.nextCursor}`);
    expect(foreign.body.code).toBe('invalid_cursor');
    expect((await app.client.get(`/v1/posts/${post.id}/comments?sort=best`)).status).toBe(400);
    expect((await app.client.get(`/v1/posts/${post.id}/comments?limit=-1`)).status).toBe(400);
  });

  it('are shared while nothing changes, and never stale after a change', async () => {
    const post = await world.post({ by: author });
    const path = `/v1/posts/${post.id}/comments`;
    const texts = async () => (await app.client.get(path)).body.data.map(({ content }: { content: string }) => content);
    expect(await texts()).toEqual([]);
    expect((await app.client.get(path)).headers.get('x-cache')).toBe('HIT');
    const { body: first } = await comment(post.id, { content: 'first' });
    expect(await texts()).toEqual(['first']);
    await app.client.patch(`/v1/comments/${first.id}`, { token: reader.token, body: { content: 'edited' } });
    expect(await texts()).toEqual(['edited']);
    await app.client.delete(`/v1/comments/${first.id}`, { token: reader.token });
    expect(await texts()).toEqual([]);
    const { headers } = await app.client.get(path, { token: reader.token });
    expect([headers.get('x-cache'), headers.get('cache-control')]).toEqual(['HIT', 'private, no-cache']);
  });
});

describe('PATCH /v1/comments/:id', () => {
  it('is for the author only; moderators may edit none', async () => {
    const post = await world.post({ by: author });
    const { id } = await world.comment({ by: reader, on: post.id });
    const patch = (token: string, content = 'changed') =>
      app.client.patch(`/v1/comments/${id}`, { token, body: { content } });
    for (const { token } of [stranger, author, moderator]) {
      const { status, body } = await patch(token);
      expect([status, body.code]).toEqual([403, 'forbidden']);
    }
    expect((await patch(reader.token, 'Well said.')).body.isEdited).toBe(false);
    const { status, body } = await patch(reader.token);
    expect([status, body.content, body.isEdited]).toEqual([200, 'changed', true]);
  });
});

describe('PATCH /v1/comments/:id under If-Match', () => {
  it('refuses an edit of a comment that was edited since it was read, but not because of a vote', async () => {
    const post = await world.post({ by: author });
    const { id } = await world.comment({ by: reader, on: post.id });
    const path = `/v1/comments/${id}`;
    const etag = (await app.client.get(path)).headers.get('etag')!;
    await app.client.put(`${path}/vote`, { token: stranger.token, body: { value: 'like' } });
    const edit = (content: string, ifMatch: string) =>
      app.client.patch(path, { token: reader.token, body: { content }, headers: { 'if-match': ifMatch } });
    const both = await Promise.all([edit('one', etag), edit('two', etag)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    const made = both.find(({ status }) => status === 200)!;
    expect(both.find(({ status }) => status === 412)!.body.code).toBe('precondition_failed');
    expect(made.headers.get('etag')).toBe((await app.client.get(path)).headers.get('etag'));
    expect((await edit('three', '"nonsense"')).status).toBe(412);
    expect((await edit('three', made.headers.get('etag')!)).status).toBe(200);
    expect((await edit('four', '*')).status).toBe(200);
    const again = await app.client.get(path, { headers: { 'if-none-match': made.headers.get('etag')! } });
    expect(again.status).toBe(200);
  });
});

describe('GET /v1/comments?ids=', () => {
  const listByIds = (ids: string[], token?: string) => app.client.get(`/v1/comments?ids=${ids.join(',')}`, { token });
  const idsOf = async (ids: string[], token?: string) =>
    (await listByIds(ids, token)).body.data.map(({ id }: { id: string }) => id);

  it('returns the same as GET of each id, in the order of the ids, without unreadable comments', async () => {
    const [post, hidden] = [await world.post({ by: author }), await world.post({ by: author, isPublic: false })];
    const root = await world.comment({ by: reader, on: post.id });
    const reply = await world.comment({ by: stranger, on: post.id, parentId: root.id });
    const secret = await world.comment({ by: author, on: hidden.id });
    const gone = await world.comment({ by: reader, on: post.id });
    await app.client.delete(`/v1/comments/${gone.id}`, { token: reader.token });
    await app.client.delete(`/v1/comments/${root.id}`, { token: reader.token });
    const ids = [reply.id, secret.id, new ObjectId().toHexString(), gone.id, root.id, reply.id];
    expect(await idsOf(ids)).toEqual([reply.id, root.id]);
    expect(await idsOf(ids, stranger.token)).toEqual([reply.id, root.id]);
    for (const { token } of [author, moderator])
      expect(await idsOf(ids, token)).toEqual([reply.id, secret.id, root.id]);
    const { body } = await listByIds([reply.id, root.id]);
    const single = await Promise.all([reply.id, root.id].map((id) => app.client.get(`/v1/comments/${id}`)));
    expect(body.data).toEqual(single.map((answer) => answer.body));
  });

  it.each(['', '?ids=', '?ids=x', `?ids=${Array(101).fill('6650c3a2f1d2b3c4d5e6f708').join(',')}`, '?all=true'])(
    'refuses %j',
    async (query) => {
      const answer = await app.client.get(`/v1/comments${query}`);
      expectProblem(answer, 400, 'invalid_input');
    },
  );
});

describe('sort=top', () => {
  it('lists comments and replies by likes, the newer of two equals first, page by page', async () => {
    const post = await world.post({ by: author });
    const root = await world.comment({ by: reader, on: post.id });
    const fans = await world.people(3);
    for (const parentId of [null, root.id]) {
      const made: { id: string; likes: number }[] = parentId === null ? [{ id: root.id, likes: 0 }] : [];
      for (const likes of [1, 0, 3, 0, 1, 0, 2, 0]) {
        const { id } = await world.comment({ by: reader, on: post.id, parentId });
        for (const { token } of fans.slice(0, likes))
          await app.client.put(`/v1/comments/${id}/vote`, { token, body: { value: 'like' } });
        made.push({ id, likes });
      }
      const expected = made
        .reverse()
        .sort((a, b) => b.likes - a.likes)
        .map(({ id }) => id);
      const list = parentId === null ? `/v1/posts/${post.id}/comments` : `/v1/comments/${root.id}/replies`;
      for (const limit of [1, 2, 3, 100]) {
        const seen: string[] = [];
        for (let cursor = ''; ;) {
          const { status, body } = await app.client.get(`${list}?sort=top&limit=${limit}${cursor}`);
          expect(status).toBe(200);
          seen.push(...body.data.map(({ id }: { id: string }) => id));
          if (body.page.nextCursor === null) break;
          cursor = `&cursor=${body.page.nextCursor}`;
        }
        expect(seen).toEqual(expected);
      }
    }
    const { body } = await app.client.get(`/v1/posts/${post.id}/comments?sort=top&limit=1`);
    const foreign = await app.client.get(`/v1/posts/${post.id}/comments?sort=newest&cursor=${body.page.nextCursor}`);
    expectProblem(foreign, 400, 'invalid_cursor');
  });
});

describe('PUT and DELETE /v1/posts/:id/lock', () => {
  const lock = (id: string, token: string) => app.client.put(`/v1/posts/${id}/lock`, { token });
  const unlock = (id: string, token: string) => app.client.delete(`/v1/posts/${id}/lock`, { token });

  it('refuses new comments and replies, also of the author, until it is unlocked', async () => {
    const post = await world.post({ by: author });
    const root = await world.comment({ by: reader, on: post.id });
    expect((await app.client.get(`/v1/posts/${post.id}`)).body.isLocked).toBe(false);
    for (let times = 0; times < 2; times++)
      expect((await lock(post.slug, author.token)).body).toEqual({ postId: post.id, isLocked: true });
    expect((await app.client.get(`/v1/posts/${post.id}`)).body.isLocked).toBe(true);
    for (const [token, parentId] of [
      [reader.token, null],
      [author.token, root.id],
      [moderator.token, null],
    ] as const) {
      const { status, body } = await comment(post.id, { content: 'late', parentId }, token);
      expect([status, body.code]).toEqual([409, 'post_locked']);
    }
    // Existing comments can still be voted on and deleted.
    const vote = { token: stranger.token, body: { value: 'like' } };
    expect((await app.client.put(`/v1/comments/${root.id}/vote`, vote)).status).toBe(200);
    for (let times = 0; times < 2; times++)
      expect((await unlock(post.id, author.token)).body).toEqual({ postId: post.id, isLocked: false });
    expect((await comment(post.id, { content: 'in time' })).status).toBe(201);
  });

  it('does not fail an edit under If-Match', async () => {
    const post = await world.post({ by: author });
    const etag = (await app.client.get(`/v1/posts/${post.id}`)).headers.get('etag')!;
    await lock(post.id, author.token);
    const edit = { token: author.token, body: { title: 'Locked' }, headers: { 'if-match': etag } };
    expect((await app.client.patch(`/v1/posts/${post.id}`, edit)).body).toMatchObject({ isLocked: true });
  });

  it('lets no comment in after its response, also with concurrent requests', async () => {
    const post = await world.post({ by: author });
    const before = Array.from({ length: 30 }, (_, index) => comment(post.id, { content: `number ${index}` }));
    const [locked, ...answers] = await Promise.all([lock(post.id, author.token), ...before]);
    expect(locked.status).toBe(200);
    const late = await Promise.all(Array.from({ length: 10 }, () => comment(post.id, { content: 'late' })));
    expect(late.map(({ body }) => body.code)).toEqual(Array(10).fill('post_locked'));
    for (const { status, body } of answers) expect([201, 'post_locked']).toContain(status === 201 ? 201 : body.code);
    const made = answers.filter(({ status }) => status === 201).length;
    expect((await storedPost(post.id))!.stats.commentsCount).toBe(made);
  });
});

describe('DELETE /v1/comments/:id', () => {
  const remove = (id: string, token: string, query = '') => app.client.delete(`/v1/comments/${id}${query}`, { token });
  const get = (id: string) => app.client.get(`/v1/comments/${id}`);

  it('leaves a tombstone while there are replies, and removes it with the last of them', async () => {
    const post = await world.post({ by: author });
    const root = await world.comment({ by: reader, on: post.id });
    const reply = await world.comment({ by: stranger, on: post.id, parentId: root.id });
    expect((await remove(root.id, reader.token)).status).toBe(204);
    expect((await get(root.id)).body).toMatchObject({ author: null, content: null, isDeleted: true });
    expect((await app.client.get(`/v1/posts/${post.id}/comments`)).body.data).toMatchObject([
      { id: root.id, content: null },
    ]);
    expect((await storedPost(post.id))!.stats.commentsCount).toBe(1);
    const stored = await app.db.collection('comments').findOne({ _id: new ObjectId(root.id) });
    expect(stored!.content).toBe('');
    expect((await remove(root.id, reader.token)).status).toBe(404);
    expect((await remove(reply.id, stranger.token)).status).toBe(204);
    expect([(await get(root.id)).status, (await get(reply.id)).status]).toEqual([404, 404]);
    expect((await app.client.get(`/v1/posts/${post.id}/comments`)).body.data).toEqual([]);
    expect((await storedPost(post.id))!.stats.commentsCount).toBe(0);
  });

  it('is for its author and the author of the post', async () => {
    const post = await world.post({ by: author });
    const { id: removed } = await world.comment({ by: reader, on: post.id });
    expect((await remove(removed, author.token)).status).toBe(204);
    const { id } = await world.comment({ by: reader, on: post.id });
    expect((await remove(id, stranger.token)).body.code).toBe('forbidden');
    expect((await remove(id, reader.token, '?tree=true')).body.code).toBe('forbidden');
    expect((await remove(id, moderator.token)).body.code).toBe('forbidden');
    expect((await remove(id, reader.token)).status).toBe(204);
    const row = await app.db.collection('tasks').findOne({ topic: 'comment.deleted', payload: new ObjectId(id) });
    expect(row).not.toBeNull();
  });

  it('deletes a whole thread for the author of the post, immediately, with every count', async () => {
    const post = await world.post({ by: author });
    const top = await world.comment({ by: reader, on: post.id });
    const root = await world.comment({ by: reader, on: post.id, parentId: top.id });
    const below = [
      await world.comment({ by: stranger, on: post.id, parentId: root.id }),
      await world.comment({ by: reader, on: post.id, parentId: root.id }),
    ];
    below.push(await world.comment({ by: author, on: post.id, parentId: below[0]!.id }));
    await remove(root.id, reader.token);
    expect((await remove(root.id, author.token, '?tree=true')).status).toBe(204);
    for (const { id } of [root, ...below]) expect((await get(id)).status).toBe(404);
    expect((await get(top.id)).body.stats.repliesCount).toBe(0);
    expect((await storedPost(post.id))!.stats.commentsCount).toBe(1);
    expect((await remove(root.id, author.token, '?tree=true')).status).toBe(404);
    expect((await remove(top.id, author.token, '?tree=yes')).status).toBe(400);
  });

  it('counts once for many concurrent deletions of a comment, during replies to it', async () => {
    const post = await world.post({ by: author });
    const root = await world.comment({ by: reader, on: post.id });
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        index % 3 === 0 ? remove(root.id, reader.token) : comment(post.id, { content: 'hm', parentId: root.id }),
      ),
    );
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    const created = answers.filter(({ status }) => status === 201).length;
    expect((await storedPost(post.id))!.stats.commentsCount).toBe(created);
    expect((await get(root.id)).status).toBe(created > 0 ? 200 : 404);
  });
});
