import { createHash } from 'node:crypto';
import { Binary, ObjectId } from 'mongodb';
import { IdempotencyService } from '../../src/platform/idempotency/idempotency.service.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { startApp, type TestApp, useApp } from '../support/app.js';
import { formOf, TINY_PNG } from '../support/pictures.js';
import { verbsOf } from '../support/verbs.js';
import type { Person } from '../support/world.js';

const DRAFT = { title: 'Once', content: 'Written *once*. '.repeat(200), type: 'article', isPublic: true };

describe('Idempotency-Key', () => {
  const app = useApp();
  const { world } = app;
  let ada: Person;
  let bob: Person;
  let other: TestApp;

  beforeAll(async () => {
    [ada, bob] = await world.people(2);
    other = await startApp({ beside: app });
  });
  afterAll(() => other.close());

  const postWithKey = (path: string, key: string, body: unknown, token?: string, url = app.url) =>
    fetch(url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': key,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
  const count = (collection: string, filter = {}) => app.db.collection(collection).countDocuments(filter);

  it('returns the first response again, byte for byte, in every worker, and stores the post once', async () => {
    const before = await count('posts');
    const first = await postWithKey('/v1/posts', 'post-1', DRAFT, ada.token);
    const bytes = await first.text();
    expect(first.status).toBe(201);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    for (const url of [app.url, other.url]) {
      const again = await postWithKey('/v1/posts', 'post-1', DRAFT, ada.token, url);
      expect(again.status).toBe(201);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      for (const name of ['content-type', 'location', 'etag', 'content-location'])
        expect(again.headers.get(name)).toBe(first.headers.get(name));
      expect(await again.text()).toBe(bytes);
    }
    expect(await count('posts')).toBe(before + 1);
    expect(await count('users', { username: ada.username, 'stats.postsCount': 1 })).toBe(1);
  });

  it('belongs to the account: another one publishes its own post', async () => {
    expect((await postWithKey('/v1/posts', 'post-1', DRAFT, bob.token)).headers.get('idempotent-replayed')).toBeNull();
  });

  it('is refused with a different body, or if it is malformed', async () => {
    const reused = await postWithKey('/v1/posts', 'post-1', { ...DRAFT, title: 'Twice' }, ada.token);
    expect(reused.status).toBe(422);
    expect(await reused.json()).toMatchObject({ code: 'idempotency_key_reused' });
    expect((await postWithKey('/v1/posts', 'two words', DRAFT, ada.token)).status).toBe(400);
    expect((await postWithKey('/v1/posts', 'x'.repeat(65), DRAFT, ada.token)).status).toBe(400);
  });

  it('lets one of many equal requests write, on any worker', async () => {
    const before = await count('posts');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        postWithKey('/v1/posts', 'race', DRAFT, ada.token, index % 2 === 0 ? app.url : other.url),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(0);
    expect(statuses.every((status) => status === 201 || status === 409)).toBe(true);
    for (const answer of answers) if (answer.status === 409) expect(answer.headers.get('retry-after')).toBe('1');
    const ids = await Promise.all(
      answers
        .filter(({ status }) => status === 201)
        .map(async (answer) => ((await answer.json()) as { id: string }).id),
    );
    expect(new Set(ids).size).toBe(1);
    expect(await count('posts')).toBe(before + 1);
  });

  it('has no Location in the 409 for a request in progress', async () => {
    const who = { key: 'held', accountId: ada.id, address: '', userAgent: '' };
    const { id } = app.app.get(IdempotencyService).keyOf({ ...who, route: 'POST /v1/posts', body: DRAFT });
    const session = app.app.get(MongoService).client.startSession();
    // Another process is storing a response for the key.
    session.startTransaction();
    const row = { _id: Binary.createFromBase64(id) };
    await app.db.collection<typeof row>('idempotency_keys').insertOne(row, { session, bypassDocumentValidation: true });
    const { status, headers } = await postWithKey('/v1/posts', 'held', DRAFT, ada.token);
    await session.abortTransaction();
    await session.endSession();
    const named = ['etag', 'location', 'content-location'].map((name) => headers.get(name));
    expect([status, ...named]).toEqual([409, null, null, null]);
  });

  it('stores nothing for a refused request', async () => {
    expect((await postWithKey('/v1/posts', 'later', { ...DRAFT, title: '' }, ada.token)).status).toBe(400);
    expect((await postWithKey('/v1/posts', 'later', DRAFT, ada.token)).status).toBe(201);
  });

  it('counts a view of a visitor once and returns the same response again', async () => {
    const post = (await app.db.collection('posts').findOne({ isListed: true }))!;
    const path = `/v1/posts/${post._id.toHexString()}/events`;
    const first = await (await postWithKey(path, 'view-1', { kind: 'view' })).text();
    expect(JSON.parse(first)).toMatchObject({ counted: true });
    const again = await postWithKey(path, 'view-1', { kind: 'view' });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await again.text()).toBe(first);
    expect(JSON.parse(await (await postWithKey(path, 'view-2', { kind: 'view' })).text())).toMatchObject({
      counted: false,
    });
  });

  it('is not stored for responses that contain tokens', async () => {
    const rows = await count('idempotency_keys');
    const body = {
      username: 'carol',
      email: 'carol@example.org',
      password: 'correct horse battery',
      fullName: 'Carol',
    };
    expect((await postWithKey('/v1/auth/register', 'sign-up', body)).status).toBe(201);
    expect(await count('idempotency_keys')).toBe(rows);
  });
});

describe('Idempotency-Key of routes with secrets, files and edits', () => {
  const app = useApp();
  const { world } = app;
  const { ok } = verbsOf(app);
  const HEADERS = ['content-type', 'location', 'cache-control', 'etag', 'content-location'];

  async function sendWithKey(path: string, token: string, body?: object) {
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': 'once', 'content-type': 'application/json' };
    const options = { method: 'POST', headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return partsOf(await fetch(`${app.url}/v1/${path}`, options));
  }
  async function partsOf(response: Response) {
    const { status, headers } = response;
    const shown = HEADERS.map((name) => headers.get(name));
    return { isReplayed: headers.get('idempotent-replayed') !== null, status, shown, text: await response.text() };
  }

  it.each([
    ['auth/tokens', 'api_tokens', { name: 'backup', scopes: ['read'], password: TEST_PASSWORD }, 'token'],
    ['webhooks', 'webhooks', { url: 'https://hooks.example.org/in', events: ['post.published'] }, 'secret'],
  ])('stores the response of POST /v1/%s encrypted, and returns it again', async (path, collection, body, field) => {
    const { id, token } = await world.person({ overHttp: true });
    const userId = new ObjectId(id);
    const first = await sendWithKey(path, token, body);
    await app.untilDelivered();
    const again = await sendWithKey(path, token, body);

    expect([first.status, first.isReplayed]).toEqual([201, false]);
    expect(again).toEqual({ ...first, isReplayed: true });
    expect(first.shown).toContain('no-store');
    expect(await app.db.collection(collection).countDocuments({ userId })).toBe(1);
    const other = await sendWithKey(path, token, { ...body, other: true });
    expect([other.status, JSON.parse(other.text).code]).toEqual([422, 'idempotency_key_reused']);

    const rows = await app.db.collection('idempotency_keys').find({ isSealed: true }).toArray();
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      const bytes = Buffer.from(row['body'], 'base64').toString('latin1');
      expect(JSON.stringify(row) + bytes).not.toContain(JSON.parse(first.text)[field]);
      // Otherwise the password could be guessed from it.
      const plain = createHash('sha256').update(JSON.stringify(body)).digest('base64');
      expect(row['fingerprint'].toString('base64')).not.toBe(plain);
    }
  });

  it('creates one export', async () => {
    const { token } = await world.person({ overHttp: true });
    const first = await sendWithKey('users/me/exports', token);
    await app.untilDelivered();

    expect(first.status).toBe(202);
    expect(await sendWithKey('users/me/exports', token)).toEqual({ ...first, isReplayed: true });
    expect(first.shown).toContain(`/v1/users/me/exports/${JSON.parse(first.text).id}`);
    expect((await app.client.post('/v1/users/me/exports', { token })).body.code).toBe('too_many_exports');
  });

  it('reverts a post once', async () => {
    const author = await world.person();
    const { id } = await world.post({ by: author, content: 'The first text.' });
    await ok(author, 'PATCH', `posts/${id}`, { content: 'The second text.' });
    const first = await sendWithKey(`posts/${id}/revisions/1/revert`, author.token);
    await ok(author, 'PATCH', `posts/${id}`, { content: 'The third text.' });

    expect([first.status, JSON.parse(first.text).content]).toEqual([200, 'The first text.']);
    expect(await sendWithKey(`posts/${id}/revisions/1/revert`, author.token)).toEqual({ ...first, isReplayed: true });
    expect((await ok(author, 'GET', `posts/${id}`)).content).toBe('The third text.');
  });

  it('compares uploaded files by their bytes', async () => {
    const { token } = await world.person();
    const upload = async (bytes: Buffer) => {
      const { body, headers } = formOf({ bytes });
      const keyed = { ...headers, authorization: `Bearer ${token}`, 'idempotency-key': 'once' };
      return partsOf(await fetch(`${app.url}/v1/media`, { method: 'POST', headers: keyed, body }));
    };
    const first = await upload(TINY_PNG);
    await app.untilDelivered();

    expect([first.status, first.isReplayed]).toEqual([201, false]);
    expect(await upload(TINY_PNG)).toEqual({ ...first, isReplayed: true });
    const other = await upload(Buffer.concat([TINY_PNG, Buffer.from('more')]));
    expect([other.status, JSON.parse(other.text).code]).toEqual([422, 'idempotency_key_reused']);
  });
});
