import { ObjectId } from 'mongodb';
import { AUTHOR_CHANGED } from '../../src/users/users.events.js';
import { startApp, type TestApp, useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { runHandlers } from '../support/cleanup.js';
import { orderOf } from '../support/collections.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';
import { idsOf, verbsOf } from '../support/verbs.js';

const app = useApp();
const { world } = app;
const { walk } = verbsOf(app);
const idsIn = async (path: string, limit: number, by?: Person) => idsOf(await walk(path, limit, by));
let owner: Person;
let stranger: Person;
let moderator: Person;

beforeAll(async () => {
  [owner, stranger] = await world.people(2);
  moderator = await world.person({ role: 'moderator' });
});
beforeEach(async () => {
  owner = await world.person();
});
afterEach(async () => {
  expect(await differences(app.db)).toEqual([]);
});

const create = (body: object, person = owner, via: TestApp = app) =>
  via.patient.post('/v1/collections', { token: person.token, body: { kind: 'list', title: 'Looms', ...body } });

describe('POST /v1/collections', () => {
  it('returns the collection with its Location and ETag', async () => {
    const draft = { title: '  Looms & engines ', description: 'In order.', tags: ['History', 'history'], kind: 'list' };
    const { status, body, headers } = await create(draft);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      slug: `looms-engines-${body.id}`,
      ...{ kind: 'list', title: 'Looms & engines', description: 'In order.', isPublic: true, tags: ['history'] },
      thumbnailUrl: null,
      owner: { id: owner.id, username: owner.username, fullName: expect.any(String), profilePicture: null },
      stats: { postsCount: 0, likesCount: 0, dislikesCount: 0, followersCount: 0 },
      createdAt: body.updatedAt,
      updatedAt: body.createdAt,
    });
    expect(headers.get('location')).toBe(`/v1/collections/${body.slug}`);
    const current = await app.client.get(headers.get('location')!);
    expect([current.status, current.body, current.headers.get('etag')]).toEqual([200, body, headers.get('etag')]);
    expect((await app.client.get(`/v1/collections/${body.id}`)).body).toEqual(body);
  });

  it('creates one collection for two requests with one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': new ObjectId().toHexString() };
    const body = { kind: 'series', title: 'Letters' };
    const createOnce = () => app.client.post('/v1/collections', { token: owner.token, body, headers });
    const [first, again] = [await createOnce(), await createOnce()];
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
  });

  it.each([
    ['title', { title: '' }],
    ['title', { title: 'x'.repeat(101) }],
    ['kind', { kind: 'pile' }],
    ['description', { description: 'x'.repeat(501) }],
    ['description', { description: null }],
    ['tags', { tags: ['a', 'b', 'c', 'd', 'e', 'f'] }],
    ['tags', { tags: ['two words'] }],
    ['thumbnailUrl', { thumbnailUrl: 'http://images.example.org/a.webp' }],
    ['isPublic', { isPublic: 'yes' }],
    ['ownerId', { ownerId: '6650c3a2f1d2b3c4d5e6f708' }],
    ['stats', { stats: { likesCount: 9 } }],
  ])('names %s when it is %j', async (field, wrong) => {
    const { status, body } = await create(wrong);
    expect([status, body.code, body.errors[0].field]).toEqual([400, 'invalid_input', field]);
  });

  it('creates the hundredth for one of many concurrent requests in two processes, and a deleted one makes room', async () => {
    const second = await startApp({ beside: app });
    try {
      for (let made = 0; made < 95; made += 19) await Promise.all(Array.from({ length: 19 }, () => create({})));
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) => create({}, owner, index % 2 === 0 ? app : second)),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
        Array(7).fill([409, 'too_many_collections']),
      );
      const { body } = answers.find(({ status }) => status === 201)!;
      await app.client.delete(`/v1/collections/${body.id}`, { token: owner.token });
      expect((await create({})).status).toBe(201);
      expect((await create({})).status).toBe(409);
    } finally {
      await second.close();
    }
  });
});

describe('PATCH and DELETE /v1/collections/:idOrSlug', () => {
  it('changes the given fields only, and only the version named by If-Match', async () => {
    const collection = await world.collection({ by: owner, tags: ['a'] });
    const path = `/v1/collections/${collection.slug}`;
    const etag = (await app.client.get(path)).headers.get('etag')!;
    const patch = (body: object, ifMatch: string) =>
      app.client.patch(path, { token: owner.token, body, headers: { 'if-match': ifMatch } });
    const changed = await patch({ title: 'Engines', tags: [] }, etag);
    expect([changed.status, changed.body.title, changed.body.tags]).toEqual([200, 'Engines', []]);
    expect(changed.body.slug).toBe(`engines-${collection.id}`);
    const late = await patch({ title: 'Looms' }, etag);
    expectProblem(late, 412, 'precondition_failed');
    const current = await app.client.get(path);
    expect([current.body, current.headers.get('etag')]).toEqual([changed.body, changed.headers.get('etag')]);
    expect((await patch({ kind: 'series' }, '*')).body.errors[0].field).toBe('kind');
    const removal = await app.client.delete(path, { token: owner.token, headers: { 'if-match': etag } });
    expect(removal.status).toBe(412);
  });

  it('lets only the owner change and delete it, and shows it nowhere after that', async () => {
    const [post] = await Promise.all([world.post({ by: owner })]);
    const { id } = await world.collection({ by: owner, tags: ['gone'], posts: [post.id] });
    const path = `/v1/collections/${id}`;
    const refused = [
      await app.client.patch(path, { token: stranger.token, body: { title: 'Mine' } }),
      await app.client.delete(path, { token: stranger.token }),
      await app.client.patch(path, { token: moderator.token, body: { title: 'Mine' } }),
      await app.client.delete(path, { token: moderator.token }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    const lists = ['/v1/collections?tag=gone', `/v1/users/${owner.username}/collections`];
    for (const list of lists) expect((await app.client.get(list)).body.data).toHaveLength(1);
    expect((await app.client.delete(path, { token: owner.token })).status).toBe(204);
    for (const list of lists) expect((await app.client.get(list)).body.data).toEqual([]);
    for (const gone of [path, `${path}/posts`]) expect((await app.client.get(gone)).status).toBe(404);
    expect((await app.client.delete(path, { token: owner.token })).status).toBe(404);
  });

  it('shows a private collection to its owner and to moderators, and stops showing one that becomes private', async () => {
    const { id } = await world.collection({ by: owner });
    const path = `/v1/collections/${id}`;
    expect((await app.client.get(path)).status).toBe(200);
    await app.client.patch(path, { token: owner.token, body: { isPublic: false } });
    const statuses = async (of: string) =>
      Promise.all([undefined, stranger, owner, moderator].map((who) => app.client.get(of, { token: who?.token })))
        // Visitor, stranger, owner, moderator.
        .then((answers) => answers.map(({ status }) => status));
    expect(await statuses(path)).toEqual([404, 404, 200, 200]);
    expect(await statuses(`${path}/posts`)).toEqual([404, 404, 200, 200]);
    expect((await app.client.get(`/v1/users/${owner.username}/collections`)).body.data).toEqual([]);
    expect((await app.client.get('/v1/users/me/collections', { token: owner.token })).body.data).toHaveLength(1);
    await app.client.patch(path, { token: owner.token, body: { isPublic: true } });
    expect(await statuses(path)).toEqual([200, 200, 200, 200]);
  });
});

describe('lists of collections', () => {
  it('are browsed by time or by votes and followers, all or by tag, in pages that never repeat or skip one', async () => {
    const made: { id: string }[] = [];
    for (let index = 0; index < 12; index++)
      made.push(await world.collection({ by: owner, tags: ['browsed', index % 2 ? 'odd' : 'even'] }));
    const people = await world.people(3);
    // The scores are 0, 1, 2, 3, 0, 1, …, so several collections share most scores.
    for (const [index, { id }] of made.entries())
      for (const { token } of people.slice(0, index % 4))
        await app.client.put(`/v1/collections/${id}/follow`, { token });
    const newest = made.map(({ id }) => id).reverse();
    const scoreOf = (id: string) => made.findIndex((other) => other.id === id) % 4;
    const best = [...newest].sort((a, b) => scoreOf(b) - scoreOf(a));
    for (const limit of [1, 5, 100]) {
      expect(await idsIn('collections?tag=browsed', limit)).toEqual(newest);
      expect(await idsIn('collections?tag=browsed&sort=top', limit)).toEqual(best);
      expect(await idsIn('collections?tag=ODD', limit)).toEqual(newest.filter((_, index) => index % 2 === 0));
      expect((await idsIn('collections', limit)).slice(0, 12)).toEqual(newest);
      expect((await idsIn('collections?sort=top', limit)).filter((id) => best.includes(id))).toEqual(best);
      expect(await idsIn(`users/${owner.username.toUpperCase()}/collections`, limit)).toEqual(newest);
      expect(await idsIn('users/me/collections', limit, owner)).toEqual(newest);
    }
    const { body } = await app.client.get('/v1/collections?tag=browsed&limit=1');
    for (const other of ['tag=odd', 'tag=browsed&sort=top', '']) {
      const foreign = await app.client.get(
        `/v1/collections?${other}&cursor=${body.page.nextCursor}`.replace('?&', '?'),
      );
      expectProblem(foreign, 400, 'invalid_cursor');
    }
  });

  it('show in one call which of my collections contain a post', async () => {
    const post = await world.post({ by: stranger });
    const holding = await world.collection({ by: owner, isPublic: false, posts: [post.id] });
    const other = await world.collection({ by: owner });
    const { body } = await app.client.get(`/v1/users/me/collections?contains=${post.id}`, { token: owner.token });
    expect(body.data.map(({ id, isMember }: { id: string; isMember: boolean }) => [id, isMember])).toEqual([
      [other.id, false],
      [holding.id, true],
    ]);
    const plain = await app.client.get('/v1/users/me/collections', { token: owner.token });
    expect(Object.keys(plain.body.data[0])).not.toContain('isMember');
    const wrong = await app.client.get('/v1/users/me/collections?contains=x', { token: owner.token });
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([400, 'contains']);
  });

  it('are shared from the cache until a collection is created, changed or deleted', async () => {
    const listTagged = () => app.client.get('/v1/collections?tag=cached');
    const states: (string | null)[] = [];
    const look = async () => {
      const { headers, body } = await listTagged();
      states.push(headers.get('x-cache'));
      return body.data.map(({ title }: { title: string }) => title);
    };
    expect([await look(), await look()]).toEqual([[], []]);
    const { id } = await world.collection({ by: owner, tags: ['cached'], title: 'First' });
    expect([await look(), await look()]).toEqual([['First'], ['First']]);
    await app.client.patch(`/v1/collections/${id}`, { token: owner.token, body: { title: 'Second' } });
    expect(await look()).toEqual(['Second']);
    expect(states).toEqual(['MISS', 'HIT', 'MISS', 'HIT', 'MISS']);
  });

  it('show the current name of an owner, also of a private collection that is published later', async () => {
    const { id } = await world.collection({ by: owner, isPublic: false });
    await app.client.patch('/v1/users/me', { token: owner.token, body: { fullName: 'Countess of Lovelace' } });
    await runHandlers(app, AUTHOR_CHANGED, owner._id);
    const { body } = await app.client.patch(`/v1/collections/${id}`, { token: owner.token, body: { isPublic: true } });
    expect(body.owner.fullName).toBe('Countess of Lovelace');
  });
});

describe('votes on collections and their followers', () => {
  it('are exact and idempotent, and change the order of top', async () => {
    const { id } = await world.collection({ by: owner });
    const people = await world.people(40);
    const interact = (what: string, method: 'put' | 'delete', { token }: Person, body?: object) =>
      app.patient[method](`/v1/collections/${id}/${what}`, { token, body });
    const votes = await Promise.all(
      people.map((person, index) => interact('vote', 'put', person, { value: index % 4 === 0 ? 'dislike' : 'like' })),
    );
    expect(votes.map(({ body }) => body.stats.likesCount + body.stats.dislikesCount).sort((a, b) => a - b)).toEqual(
      people.map((_, index) => index + 1),
    );
    const follows = await Promise.all([...people, ...people].map((person) => interact('follow', 'put', person)));
    expect(follows.every(({ status, body }) => status === 200 && body.isFollowing)).toBe(true);
    expect(Math.max(...follows.map(({ body }) => body.followersCount))).toBe(40);
    expect((await interact('follow', 'delete', people[0])).body).toEqual({
      ...{ collectionId: id, isFollowing: false, followersCount: 39 },
    });
    expect((await interact('vote', 'delete', people[0])).body.stats).toEqual({ likesCount: 30, dislikesCount: 9 });
    const row = await app.db.collection('collections').findOne({ _id: new ObjectId(id) });
    expect([row!.stats.followersCount, row!.topScore]).toEqual([39, 60]);
    const { body } = await app.client.get(`/v1/viewer?collections=${id}`, { token: people[1].token });
    expect(body.collections).toEqual([{ collectionId: id, vote: 'like', isFollowing: true }]);
  });

  it('are refused to accounts that may not read it', async () => {
    const { id } = await world.collection({ by: owner, isPublic: false });
    for (const what of ['vote', 'follow']) {
      const body = what === 'vote' ? { value: 'like' } : undefined;
      const { status, body: problem } = await app.client.put(`/v1/collections/${id}/${what}`, {
        token: stranger.token,
        body,
      });
      expect([status, problem.code]).toEqual([404, 'collection_not_found']);
      expect((await app.client.put(`/v1/collections/${id}/${what}`, { token: owner.token, body })).status).toBe(200);
    }
  });
});

describe('a private list with posts of other authors', () => {
  it('shows only posts that its owner may still read, in full pages, and keeps the others in their places', async () => {
    const posts = [];
    for (let index = 0; index < 9; index++) posts.push(await world.post({ by: stranger }));
    const ids = posts.map(({ id }) => id);
    const { id } = await world.collection({ by: owner, isPublic: false, posts: ids });
    for (const index of [0, 3, 4, 8]) await world.editPost(ids[index]!, { by: stranger, isPublic: false });
    const left = ids.filter((_, index) => ![0, 3, 4, 8].includes(index));
    for (const limit of [1, 2, 4, 100]) expect(await orderOf(app, id, { token: owner.token, limit })).toEqual(left);
    const { body } = await app.client.get(`/v1/collections/${id}`, { token: owner.token });
    expect(body.stats.postsCount).toBe(9);
    await world.editPost(ids[3]!, { by: stranger, isPublic: true });
    expect(await orderOf(app, id, { token: owner.token })).toEqual(
      ids.filter((_, index) => ![0, 4, 8].includes(index)),
    );
  });
});
