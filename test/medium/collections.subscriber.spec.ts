import { ObjectId } from 'mongodb';
import { AuditService } from '../../src/audit/audit.service.js';
import { COLLECTION_DELETED } from '../../src/collections/collections.events.js';
import { POST_DELETED } from '../../src/posts/posts.events.js';
import { ACCOUNT_ENDED } from '../../src/users/users.events.js';
import { useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { runHandlers } from '../support/cleanup.js';
import { orderOf } from '../support/collections.js';
import type { Person } from '../support/world.js';

const app = useApp();
const { world } = app;
let owner: Person;
let reader: Person;

beforeEach(async () => {
  [owner, reader] = await world.people(2);
});
afterEach(async () => {
  expect(await differences(app.db)).toEqual([]);
});

const count = (collection: string, filter: object) => app.db.collection(collection).countDocuments(filter);
const postsOf = (length: number) =>
  Promise.all(Array.from({ length }, async () => (await world.post({ by: owner })).id));

async function engage(id: string, { token }: Person): Promise<void> {
  await app.client.put(`/v1/collections/${id}/vote`, { token, body: { value: 'like' } });
  await app.client.put(`/v1/collections/${id}/follow`, { token });
}

describe('the cleanup of a deleted collection and of its items', () => {
  it('removes a deleted post from every collection and series, with the counts', async () => {
    const [post, other] = (await postsOf(2)) as [string, string];
    const lists = [];
    while (lists.length < 16) lists.push(await world.collection({ by: reader, posts: [other, post] }));
    const series = await world.collection({ by: owner, kind: 'series', posts: [post, other] });
    await world.deletePost(post, { by: owner });
    await runHandlers(app, POST_DELETED, new ObjectId(post));
    expect(await count('collection_items', { postId: new ObjectId(post) })).toBe(0);
    expect(await count('post_series', { _id: new ObjectId(post) as never })).toBe(0);
    for (const { id } of [...lists, series]) {
      expect(await orderOf(app, id)).toEqual([other]);
      expect((await app.client.get(`/v1/collections/${id}`)).body.stats.postsCount).toBe(1);
    }
  });

  it('removes items, parts of a series, votes and followers of a deleted collection only', async () => {
    const posts = await postsOf(9);
    const gone = await world.collection({ by: owner, kind: 'series', posts });
    const other = await world.collection({ by: owner, posts });
    for (const { id } of [gone, other]) await engage(id, reader);
    await app.client.delete(`/v1/collections/${gone.id}`, { token: owner.token });
    const collectionId = new ObjectId(gone.id);
    await runHandlers(app, COLLECTION_DELETED, collectionId);
    expect(await count('collection_items', { collectionId })).toBe(0);
    expect(await count('post_series', { collectionId })).toBe(0);
    expect(await count('interactions', { targetId: collectionId })).toBe(0);
    expect(await count('collections', { _id: collectionId })).toBe(0);
    expect(await count('interactions', { targetId: new ObjectId(other.id) })).toBe(2);
    expect(await orderOf(app, other.id)).toEqual(posts);
  });

  it('refuses to clear a collection that is not deleted', async () => {
    const { id } = await world.collection({ by: owner });
    await expect(runHandlers(app, COLLECTION_DELETED, new ObjectId(id))).rejects.toThrow('not deleted');
  });

  it('deletes the collections of a deleted account, and its votes and follows', async () => {
    const [post] = (await postsOf(1)) as [string];
    const kept = await world.collection({ by: reader, posts: [post] });
    await engage(kept.id, owner);
    const own = [];
    while (own.length < 9) own.push(await world.collection({ by: owner, posts: [post] }));
    await engage(own[0]!.id, reader);
    await app.db.collection('users').updateOne({ _id: owner._id }, { $set: { deletedAt: new Date() } });
    await runHandlers(app, ACCOUNT_ENDED, owner._id);
    for (const { id } of own) expect((await app.client.get(`/v1/collections/${id}`)).status).toBe(404);
    const ids = own.map(({ id }) => new ObjectId(id));
    for (const id of ids) await runHandlers(app, COLLECTION_DELETED, id);
    expect(await count('collections', { ownerId: owner._id })).toBe(0);
    expect(await count('collection_items', { collectionId: { $in: ids } })).toBe(0);
    expect(await count('interactions', { userId: owner._id })).toBe(0);
    expect((await app.client.get(`/v1/collections/${kept.id}`)).body.stats).toMatchObject({
      ...{ likesCount: 0, followersCount: 0 },
    });
  });
});

describe('the audit of collections', () => {
  it('finds each counter that differs from its rows, and repairs it', async () => {
    const posts = await postsOf(3);
    const { id } = await world.collection({ by: owner, posts });
    await engage(id, reader);
    const wrong = {
      ...{ 'stats.postsCount': 7, 'stats.likesCount': 0, 'stats.dislikesCount': 4 },
      ...{ 'stats.followersCount': 9, topScore: 100 },
    };
    await app.db.collection('collections').updateOne({ _id: new ObjectId(id) }, { $set: wrong });
    await app.db.collection('users').updateOne({ _id: owner._id }, { $set: { collectionsCount: 55 } });
    const audit = app.app.get(AuditService);
    const found: string[] = [];
    await audit.audit(({ collection, counter, counted }) => found.push(`${collection} ${counter} ${counted}`));
    expect(found.sort()).toEqual([
      'collections dislikes 0',
      'collections followers 1',
      'collections likes 1',
      'collections posts 3',
      'collections topScore 2',
      'users collections 1',
    ]);
    await audit.audit(() => undefined, { isRepair: true });
    const { differences: left } = await audit.audit(() => undefined);
    expect(left).toBe(0);
  });
});
