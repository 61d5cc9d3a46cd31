import { ObjectId } from 'mongodb';
import { pairId } from '../../src/common/pair-id.js';
import { evenPositions } from '../../src/collections/positions.js';
import type { CollectionItem } from '../../src/collections/collection-item.schema.js';
import { startApp, type TestApp, useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { POST_HIDDEN, POST_LISTED } from '../../src/posts/posts.events.js';
import { runHandlers } from '../support/cleanup.js';
import { orderOf } from '../support/collections.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';

const app = useApp();
const { world } = app;
let owner: Person;
let posts: string[];

beforeAll(async () => {
  owner = await world.person();
  posts = [];
  while (posts.length < 40) posts.push((await world.post({ by: owner })).id);
});
afterEach(async () => {
  expect(await differences(app.db)).toEqual([]);
});

/** Retries, because a slow machine refuses some of 200 concurrent requests. */
const put = (id: string, postId: string, body: object = {}, via: TestApp = app) =>
  via.patient.put(`/v1/collections/${id}/posts/${postId}`, { token: owner.token, body });
const remove = (id: string, postId: string) =>
  app.client.delete(`/v1/collections/${id}/posts/${postId}`, { token: owner.token });
const rows = (id: string) =>
  app.db.collection<CollectionItem>('collection_items').find({ collectionId: new ObjectId(id) });

describe('PUT and DELETE /v1/collections/:id/posts/:postId', () => {
  it('adds, moves and removes, idempotently, and responds with the exact place and count', async () => {
    const { id } = await world.collection({ by: owner });
    const [a, b, c] = posts as [string, string, string];
    const answers = [];
    for (const [post, body] of [
      [a, {}],
      [b, {}],
      [b, {}],
      [c, { before: a }],
      [c, { before: a }],
      [a, { after: b }],
    ] as const)
      answers.push((await put(id, post, body)).body);
    expect(answers).toEqual([
      { position: 1, postsCount: 1 },
      { position: 2, postsCount: 2 },
      { position: 2, postsCount: 2 },
      { position: 1, postsCount: 3 },
      { position: 1, postsCount: 3 },
      { position: 3, postsCount: 3 },
    ]);
    expect(await orderOf(app, id)).toEqual([c, b, a]);
    for (let times = 0; times < 2; times++) expect((await remove(id, b)).body).toEqual({ postsCount: 2 });
    expect(await orderOf(app, id)).toEqual([c, a]);
    expect((await put(id, b, { after: c, before: a })).body).toEqual({ position: 2, postsCount: 3 });
  });

  it('keeps a note until it is replaced, and shows it with the card', async () => {
    const { id } = await world.collection({ by: owner });
    await put(id, posts[0]!, { note: ' Begin here. ' });
    await put(id, posts[1]!);
    await put(id, posts[0]!, { after: posts[1] });
    const listItems = async () => (await app.client.get(`/v1/collections/${id}/posts`)).body.data;
    const [first, second] = await listItems();
    expect([first.note, second.note, second.post.id]).toEqual([null, 'Begin here.', posts[0]]);
    expect(Object.keys(second)).toEqual(['post', 'note', 'addedAt']);
    await put(id, posts[0]!, { note: null });
    expect((await listItems())[1].note).toBeNull();
  });

  it('names the wrong field', async () => {
    const { id } = await world.collection({ by: owner, posts: [posts[0]!, posts[1]!, posts[2]!] });
    const none = new ObjectId().toHexString();
    const [a, b, c] = posts as [string, string, string];
    const cases: [object, string, number, string, string | undefined][] = [
      [{ before: 'x' }, a, 400, 'invalid_input', 'before'],
      [{ after: [b] }, a, 400, 'invalid_input', 'after'],
      [{ note: 'x'.repeat(281) }, a, 400, 'invalid_input', 'note'],
      [{ position: 1 }, a, 400, 'invalid_input', 'position'],
      [{ before: none }, a, 409, 'invalid_place', 'before'],
      [{ after: a }, a, 409, 'invalid_place', 'after'],
      [{ after: a, before: c }, posts[3]!, 409, 'invalid_place', 'before'],
      [{}, none, 404, 'post_not_found', undefined],
    ];
    for (const [body, post, status, code, field] of cases) {
      const answer = await put(id, post, body);
      expect([body, answer.status, answer.body.code, answer.body.errors?.[0]?.field]).toEqual([
        body,
        status,
        code,
        field,
      ]);
    }
    expect((await put('x', a)).body.errors[0].field).toBe('id');
    expect((await put(id, 'x')).body.errors[0].field).toBe('postId');
    expect(await orderOf(app, id)).toEqual([a, b, c]);
  });

  it('refuses a post that its owner may not read, and lets the owner move and remove one that was hidden since', async () => {
    const writer = await world.person();
    const [draft, shown] = [await world.post({ by: writer, isPublic: false }), await world.post({ by: writer })];
    const { id } = await world.collection({ by: owner, posts: [posts[0]!, shown.id] });
    expect((await put(id, draft.id)).body.code).toBe('post_not_found');
    await world.editPost(shown.id, { by: writer, isPublic: false });
    expect((await put(id, shown.id, { before: posts[0] })).status).toBe(200);
    expect(await orderOf(app, id)).toEqual([posts[0]]);
    // The author sees the post, at the position that the owner chose.
    expect(await orderOf(app, id, { token: writer.token })).toEqual([shown.id, posts[0]]);
    expect((await remove(id, shown.id)).body).toEqual({ postsCount: 1 });
  });

  it('counts the posts that everyone may read', async () => {
    const writer = await world.person();
    const shown = await world.post({ by: writer });
    const { id } = await world.collection({ by: owner, posts: [posts[0]!, shown.id] });
    const count = async () => (await app.client.get(`/v1/collections/${id}`)).body.stats.postsCount;
    expect(await count()).toBe(2);

    await world.editPost(shown.id, { by: writer, isPublic: false });
    await runHandlers(app, POST_HIDDEN, new ObjectId(shown.id));
    expect(await count()).toBe(1);

    await world.editPost(shown.id, { by: writer, isPublic: true });
    await runHandlers(app, POST_LISTED, new ObjectId(shown.id));
    expect(await count()).toBe(2);
    expect(await differences(app.db)).toEqual([]);
  });
});

describe('the order of a collection', () => {
  it('has one order and an exact count after 200 concurrent adds and moves in two processes', async () => {
    const second = await startApp({ beside: app });
    try {
      const { id } = await world.collection({ by: owner, posts: posts.slice(0, 10) });
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, index) => {
          const [post, anchor] = [posts[(index * 7) % posts.length]!, posts[index % 10]!];
          const place =
            post === anchor || index % 3 === 0 ? {} : index % 3 === 1 ? { before: anchor } : { after: anchor };
          return put(id, post, place, index % 2 === 0 ? app : second);
        }),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(200));
      const order = await orderOf(app, id, { limit: 7 });
      expect([...order].sort()).toEqual([...posts].sort());
      expect(await orderOf(app, id)).toEqual(order);
      expect((await app.client.get(`/v1/collections/${id}`)).body.stats.postsCount).toBe(posts.length);
      expect(await rows(id).toArray()).toHaveLength(posts.length);
    } finally {
      await second.close();
    }
  });

  it('stays correct through hundreds of moves to one place, when all positions are reassigned', async () => {
    const { id } = await world.collection({ by: owner, posts: posts.slice(0, 4) });
    const first = await app.client.get(`/v1/collections/${id}/posts?limit=1`);
    let model = posts.slice(0, 4);
    for (let times = 0; times < 300; times++) {
      const post = model[3]!;
      await put(id, post, { after: model[0] });
      model = [model[0]!, post, model[1]!, model[2]!];
    }
    expect(await orderOf(app, id)).toEqual(model);
    const positions = await rows(id)
      .map(({ position }) => position)
      .toArray();
    expect(Math.max(...positions.map(({ length }) => length))).toBeLessThanOrEqual(40);
    const row = await app.db.collection('collections').findOne({ _id: new ObjectId(id) });
    expect(row!.orderEpoch).toBeGreaterThan(0);
    const late = await app.client.get(`/v1/collections/${id}/posts?cursor=${first.body.page.nextCursor}`);
    expectProblem(late, 400, 'cursor_expired');
  });

  it('gives the last free place to one of two requests in two processes', async () => {
    const second = await startApp({ beside: app });
    try {
      const { id } = await world.collection({ by: owner });
      const collectionId = new ObjectId(id);
      const fill = evenPositions(499).map((position): CollectionItem => {
        const postId = new ObjectId();
        const about = { position, isListed: true, note: null, addedAt: new Date() };
        return { _id: pairId(collectionId, postId), collectionId, postId, ...about };
      });
      await app.db.collection<CollectionItem>('collection_items').insertMany(fill);
      await app.db.collection('collections').updateOne({ _id: collectionId }, { $set: { 'stats.postsCount': 499 } });
      const answers = await Promise.all([put(id, posts[0]!), put(id, posts[1]!, {}, second)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(answers.find(({ status }) => status === 409)!.body.code).toBe('collection_full');
      expect(answers.find(({ status }) => status === 200)!.body).toEqual({ position: 500, postsCount: 500 });
      // Posts in the full collection can still be moved, and a removal makes room.
      const held = answers[0].status === 200 ? posts[0]! : posts[1]!;
      const left = answers[0].status === 200 ? posts[1]! : posts[0]!;
      expect((await put(id, held, { before: fill[0]!.postId.toHexString() })).body.position).toBe(1);
      await remove(id, held);
      expect((await put(id, left)).status).toBe(200);
      // Only the last page has visible posts.
      expect(await orderOf(app, id, { limit: 3 })).toEqual([left]);
    } finally {
      await second.close();
    }
  });

  it('is read in full pages while posts in it are moved, hidden and deleted', async () => {
    const writer = await world.person();
    const own = [];
    while (own.length < 30) own.push((await world.post({ by: writer })).id);
    const { id } = await world.collection({ by: owner, posts: own });
    const { body } = await app.client.get(`/v1/collections/${id}/posts?limit=5`);
    // Moves the last post of the first page to the end.
    await put(id, own[4]!, { after: own[29] });
    await world.editPost(own[6]!, { by: writer, isPublic: false });
    await world.deletePost(own[7]!, { by: writer });
    const next = await app.client.get(`/v1/collections/${id}/posts?limit=5&cursor=${body.page.nextCursor}`);
    const expected = [own[5], own[8], own[9], own[10], own[11]];
    expect(next.body.data.map(({ post }: { post: { id: string } }) => post.id)).toEqual(expected);
    expect(next.headers.get('link')).toContain('rel="next"');
  });
});

describe('GET /v1/posts/:id/series', () => {
  const seriesOf = (postId: string, token?: string) => app.client.get(`/v1/posts/${postId}/series`, { token });
  const around = ({ body }: { body: any }) => [
    body.previous?.id ?? null,
    body.index,
    body.count,
    body.next?.id ?? null,
  ];

  it('returns the previous and next part, and reflects every change of the series immediately', async () => {
    const parts = [];
    while (parts.length < 4) parts.push((await world.post({ by: owner })).id);
    const [a, b, c, d] = parts as [string, string, string, string];
    const missing = await seriesOf(b);
    expectProblem(missing, 404, 'collection_not_found');
    const { id } = await world.collection({ by: owner, kind: 'series', posts: [a, b, c] });
    expect((await seriesOf(b)).body.collection).toMatchObject({ id, kind: 'series', stats: { postsCount: 3 } });
    expect(around(await seriesOf(a))).toEqual([null, 1, 3, b]);
    expect(around(await seriesOf(b))).toEqual([a, 2, 3, c]);
    expect((await seriesOf(b)).headers.get('x-cache')).toBe('HIT');
    await put(id, d, { after: a });
    expect(around(await seriesOf(b))).toEqual([d, 3, 4, c]);
    await put(id, a, { after: c });
    expect(around(await seriesOf(b))).toEqual([d, 2, 4, c]);
    await world.editPost(d, { by: owner, isPublic: false });
    expect(around(await seriesOf(b))).toEqual([null, 1, 3, c]);
    await world.deletePost(c, { by: owner });
    expect(around(await seriesOf(b))).toEqual([null, 1, 2, a]);
    await app.client.patch(`/v1/collections/${id}`, { token: owner.token, body: { title: 'Renamed' } });
    expect((await seriesOf(b)).body.collection.title).toBe('Renamed');
    await remove(id, b);
    expect((await seriesOf(b)).status).toBe(404);
    expect(around(await seriesOf(a))).toEqual([null, 1, 1, null]);
    await app.client.patch(`/v1/collections/${id}`, { token: owner.token, body: { isPublic: false } });
    expect((await seriesOf(a)).status).toBe(404);
    expect((await seriesOf(a, owner.token)).status).toBe(200);
  });

  it('contains a post in one series only, its author’s, and frees it when the series is deleted', async () => {
    const writer = await world.person();
    const [own, foreign] = [await world.post({ by: owner }), await world.post({ by: writer })];
    const [first, other] = [
      await world.collection({ by: owner, kind: 'series' }),
      await world.collection({ by: owner, kind: 'series' }),
    ];
    expect((await put(first.id, foreign.id)).body.code).toBe('forbidden');
    const raced = await Promise.all([put(first.id, own.id), put(other.id, own.id)]);
    expect(raced.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(raced.find(({ status }) => status === 409)!.body.code).toBe('post_in_other_series');
    const [holder, free] = raced[0].status === 200 ? [first, other] : [other, first];
    // A list may contain the post as well.
    const list = await world.collection({ by: owner, posts: [own.id] });
    expect((await seriesOf(own.id)).body.collection.id).toBe(holder.id);
    await app.client.delete(`/v1/collections/${holder.id}`, { token: owner.token });
    expect((await seriesOf(own.id)).status).toBe(404);
    expect((await put(free.id, own.id)).status).toBe(200);
    expect((await seriesOf(own.id)).body.collection.id).toBe(free.id);
    expect(await orderOf(app, list.id)).toEqual([own.id]);
  });
});
