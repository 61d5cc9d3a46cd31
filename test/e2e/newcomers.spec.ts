import { randomBytes } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { DRAFT_DUE } from '../../src/drafts/drafts.events.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { useApp } from '../support/app.js';
import type { Answer } from '../support/client.js';
import { expectProblem } from '../support/problem.js';
import { runTasks } from '../support/tasks.js';
import type { Person } from '../support/world.js';

const DAY_MS = 86_400_000;

describe('a new account', () => {
  const app = useApp({
    env: { NEWCOMER_DAYS: '3', HTTP_PUBLIC_URL: 'https://api.example', PUBLIC_SITE_URL: 'https://site.example' },
  });
  const { world } = app;
  let newcomer: Person;
  let other: Person;
  let reader: Person;
  let moderator: Person;

  const write = (fields: object = {}, by = newcomer) => {
    const body = { title: 'Notes', type: 'article', content: 'The engine weaves.', ...fields };
    return app.client.post('/v1/posts', { token: by.token, body });
  };
  const comment = (on: string, content = 'Well said.', by = newcomer) =>
    app.client.post(`/v1/posts/${on}/comments`, { token: by.token, body: { content } });
  const links = (count: number) => Array.from({ length: count }, (_, at) => `https://a${at}.example/x`).join(' ');
  /** Moves the posts and comments of an account into the past. */
  const age = async ({ _id: authorId }: Person, hours: number) => {
    const createdAt = new Date(Date.now() - hours * 3_600_000);
    await app.db.collection('posts').updateMany({ authorId }, { $set: { createdAt } });
  };

  beforeAll(async () => {
    reader = await world.person();
    moderator = await world.person({ role: 'moderator' });
  });
  beforeEach(async () => {
    newcomer = await world.person();
    other = await world.person({ createdAt: new Date(Date.now() - 3 * DAY_MS - 1_000) });
  });

  it('writes five posts in 24 hours', async () => {
    const statuses = [];
    for (let at = 0; at < 5; at++) statuses.push((await write({ visibility: at === 0 ? 'private' : 'public' })).status);
    const sixth = await write();

    expect(statuses).toEqual([201, 201, 201, 201, 201]);
    expectProblem(sixth, 429, 'newcomer_limit');
    expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(86_000);
    await age(newcomer, 23.9);
    const later = await write();
    expect([later.status, Number(later.headers.get('retry-after'))]).toEqual([429, expect.closeTo(360, -2)]);
    await age(newcomer, 24.1);
    expect((await write()).status).toBe(201);
  });

  it('publishes a scheduled draft as soon as the limit allows, and a moderator at its time', async () => {
    const schedule = async (by: Person) => {
      const body = { title: `Later ${by.username}`, type: 'article', content: 'The engine weaves.' };
      const { id } = (await app.client.post('/v1/drafts', { token: by.token, body })).body;
      const publishAt = new Date(Date.now() + 3_600_000).toISOString();
      await app.client.put(`/v1/drafts/${id}/schedule`, { token: by.token, body: { publishAt } });
      const now = new Date();
      await app.db.collection('drafts').updateOne({ _id: new ObjectId(id as string) }, { $set: { publishAt: now } });
      await app.db.collection('tasks').updateMany({ topic: DRAFT_DUE.name }, { $set: { runAt: now } });
      await runTasks(app, [DRAFT_DUE]);
      return (await app.client.get(`/v1/drafts/${id}`, { token: by.token })).body;
    };
    const moderator = await world.person({ role: 'moderator' });
    for (let at = 0; at < 5; at++) for (const by of [newcomer, moderator]) await write({}, by);

    const waiting = await schedule(newcomer);
    const published = await schedule(moderator);

    expect([waiting.state, published.code]).toEqual(['scheduled', 'draft_not_found']);
    const task = await app.db.collection('tasks').findOne({ payload: new ObjectId(waiting.id as string) });
    expect(task!['runAt'].getTime()).toBeGreaterThan(Date.now() + 80_000_000);
    await age(newcomer, 24.1);
    await app.db.collection('tasks').updateOne({ _id: task!._id }, { $set: { runAt: new Date() } });
    await runTasks(app, [DRAFT_DUE]);
    const { status } = await app.client.get(`/v1/drafts/${waiting.id}`, { token: newcomer.token });
    expect(status).toBe(404);
  });

  it('writes 30 comments in 24 hours', async () => {
    const post = await world.post({ by: other });
    const rows = Array.from({ length: 29 }, () => comment(post.id));
    const statuses = (await Promise.all(rows)).map(({ status }) => status);
    statuses.push((await comment(post.id)).status);

    expect(new Set(statuses)).toEqual(new Set([201]));
    const next = await comment(post.id);
    expectProblem(next, 429, 'newcomer_limit');
    expect(Number(next.headers.get('retry-after'))).toBeGreaterThan(86_000);
  });

  it('has two links to other sites in a text', async () => {
    const post = await world.post({ by: other });
    const { id } = (await write({ content: links(2) })).body;
    const own = `${links(2)} https://api.example/v1/posts/1 [a](https://site.example/p/1) <https://site.example> /p/2`;
    const { token } = newcomer;
    const tooMany = [
      ['content', await write({ content: links(3) })],
      ['content', await write({ content: links(3), visibility: 'private' })],
      ['content', await app.client.patch(`/v1/posts/${id}`, { token, body: { content: links(3) } })],
      ['content', await write({ content: '<a href="//a.example"></a>'.repeat(3) })],
      ['content', await comment(post.id, links(3))],
      ['content', await comment(post.id, '[](//a.example)'.repeat(3))],
      ['bio', await app.client.patch('/v1/users/me', { token, body: { bio: links(3) } })],
    ] as const;

    for (const [field, response] of tooMany)
      expectProblem(response, 422, 'newcomer_content', { errors: [expect.objectContaining({ field })] });
    expect([(await write({ content: own })).status, (await comment(post.id, links(2))).status]).toEqual([201, 201]);
  });

  it('shows no images of other sites, but its own', async () => {
    const { mediaId } = await world.picture(newcomer);
    const { token } = newcomer;
    const refused = [
      ['content', await write({ content: '![a](https://a.example/x.png)' })],
      ['content', await write({ content: '![a][b]\n\n[b]: //a.example/x.png' })],
      ['content', await write({ content: '<img src="https&#58;//a.example/x.png">' })],
      ['thumbnailUrl', await write({ thumbnailUrl: 'https://a.example/x.png' })],
      [
        'profilePicture',
        await app.client.patch('/v1/users/me', { token, body: { profilePicture: 'https://a.example/x.png' } }),
      ],
    ] as const;

    for (const [field, response] of refused)
      expectProblem(response, 422, 'newcomer_content', { errors: [expect.objectContaining({ field })] });
    const own = await write({ content: `![a](media:${mediaId})`, thumbnailMediaId: mediaId });
    expect(own.status).toBe(201);
  });

  it.each([
    ['votes', 50],
    ['follows', 30],
    ['collections', 5],
    ['collection posts', 50],
    ['edits', 60],
    ['profile changes', 20],
    ['reports', 10],
  ] as const)('makes a limited number of %s in 24 hours: %i', async (kind, limit) => {
    const post = await world.post({ by: other });
    const collection = kind === 'collection posts' ? await world.collection({ by: newcomer }) : { id: '' };
    const own = (await write()).body;
    const send: Record<typeof kind, (by: Person, at: number) => Promise<Answer>> = {
      votes: ({ token }, at) =>
        app.client.put(`/v1/posts/${post.id}/vote`, { token, body: { value: at % 2 ? 'like' : 'dislike' } }),
      follows: ({ token }) => app.client.put(`/v1/users/${reader.username}/follow`, { token }),
      collections: ({ token }) =>
        app.client.post('/v1/collections', { token, body: { title: 'Looms', kind: 'list', isPublic: true } }),
      'collection posts': ({ token }, at) =>
        app.client.put(`/v1/collections/${collection.id}/posts/${post.id}`, { token, body: { note: `Note ${at}` } }),
      edits: ({ token }, at) => app.client.patch(`/v1/posts/${own.id}`, { token, body: { title: `Notes ${at}` } }),
      'profile changes': ({ token }, at) => app.client.patch('/v1/users/me', { token, body: { bio: `Bio ${at}` } }),
      reports: ({ token }) =>
        app.client.post('/v1/reports', { token, body: { targetKind: 'post', targetId: post.id, reason: 'spam' } }),
    };
    const codes = [];
    for (let at = 0; at < limit; at++) codes.push((await send[kind](newcomer, at)).status);

    expect(codes.filter((status) => status >= 300)).toEqual([]);
    const refused = await send[kind](newcomer, limit);
    expectProblem(refused, 429, 'newcomer_limit');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await send[kind](moderator, limit)).body.code).not.toBe('newcomer_limit');
  });

  it('has two links in the note of a post, and in the description of a collection', async () => {
    const post = await world.post({ by: other });
    const { id } = await world.collection({ by: newcomer });
    const { token } = newcomer;
    const put = (note: string) => app.client.put(`/v1/collections/${id}/posts/${post.id}`, { token, body: { note } });
    const edit = (body: object) => app.client.patch(`/v1/collections/${id}`, { token, body });
    const refused = [
      ['note', await put(links(3))],
      ['description', await edit({ description: links(3) })],
      ['title', await edit({ title: links(3) })],
      ['thumbnailUrl', await edit({ thumbnailUrl: 'https://a.example/x.png' })],
      [
        'description',
        await app.client.post('/v1/collections', { token, body: { title: 'A', kind: 'list', description: links(3) } }),
      ],
    ] as const;

    for (const [field, response] of refused)
      expectProblem(response, 422, 'newcomer_content', { errors: [expect.objectContaining({ field })] });
    expect([(await put(links(2))).status, (await edit({ description: links(2) })).status]).toEqual([200, 200]);
  });

  it('has no site in its name, from the registration on', async () => {
    const register = (fullName: string) => {
      const username = `n${randomBytes(5).toString('hex')}`;
      const body = { username, email: `${username}@example.org`, password: TEST_PASSWORD, fullName };
      return app.client.post('/v1/auth/register', { body });
    };
    const errors = [expect.objectContaining({ field: 'fullName' })];
    for (const name of [
      'Shop at cheap.example',
      'https://a.example',
      'WWW.CHEAP.EXAMPLE',
      'ｃｈｅａｐ．ｅｘａｍｐｌｅ',
    ]) {
      expectProblem(await register(name), 422, 'newcomer_content', { errors });
      const change = await app.client.patch('/v1/users/me', { token: newcomer.token, body: { fullName: name } });
      expectProblem(change, 422, 'newcomer_content', { errors });
    }
    for (const name of ['J.R.R. Tolkien', 'Dr. Mary Smith', 'Dr.Smith', 'Ada']) {
      expect((await register(name)).status).toBe(201);
    }
  });

  it('has no limits after three days, or as a moderator', async () => {
    const moderator = await world.person({ role: 'moderator' });
    for (const by of [other, moderator]) {
      const statuses = [(await write({ content: `${links(9)} ![a](https://a.example/x.png)` }, by)).status];
      for (let at = 0; at < 6; at++) statuses.push((await write({}, by)).status);

      expect(new Set(statuses)).toEqual(new Set([201]));
    }
  });

  it('keeps a draft that it cannot publish', async () => {
    const { token } = newcomer;
    const body = { title: 'Notes', type: 'article', content: links(3) };
    const draft = await app.client.post('/v1/drafts', { token, body });

    const published = await app.client.post(`/v1/drafts/${draft.body.id}/publish`, { token });

    expectProblem(published, 422, 'newcomer_content');
    expect((await app.client.get(`/v1/drafts/${draft.body.id}`, { token })).status).toBe(200);
  });
});

describe('REVIEW_FIRST_POSTS', () => {
  const app = useApp({ env: { REVIEW_FIRST_POSTS: '2', CACHE_FEED_TTL_MS: '0' } });
  const { world } = app;

  it('holds posts until an account has that many public ones', async () => {
    const author = await world.person();
    const write = async (visibility = 'public') => {
      const body = { title: 'Notes', type: 'article', content: 'The engine weaves.', visibility };
      return (await app.client.post('/v1/posts', { token: author.token, body })).body;
    };
    const release = (targetId: string) => world.moderate({ kind: 'restore', targetKind: 'post', targetId });

    const [first, second, secret] = [await write(), await write('unlisted'), await write('private')];
    const published = await app.client.patch(`/v1/posts/${secret.id}`, {
      token: author.token,
      body: { visibility: 'public' },
    });
    await release(first.id);
    const edited = await app.client.patch(`/v1/posts/${first.id}`, {
      token: author.token,
      body: { title: 'More notes' },
    });
    await release(published.body.id);
    const third = await write();

    const isHeld = [first, second, secret, published.body, edited.body, third].map(
      (post) => post.removal !== undefined,
    );
    expect(isHeld).toEqual([true, true, false, true, false, false]);
    expect((await app.client.get(`/v1/users/${author.username}`)).body.stats.postsCount).toBe(3);
    const [own] = (await app.client.get('/v1/users/me/moderation', { token: author.token })).body.data.slice(-1);
    expect(own).toMatchObject({ kind: 'remove', targetId: first.id, actorRole: 'system' });
  });

  it('holds no posts of moderators', async () => {
    const post = await world.post({ by: await world.person({ role: 'moderator' }) });

    expect(post.isPublic).toBe(true);
  });
});
