import { Binary } from 'mongodb';
import { IdempotencyService } from '../../src/platform/idempotency/idempotency.service.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { startApp, type TestApp, useApp } from '../support/app.js';
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
