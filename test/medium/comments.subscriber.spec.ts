import { ObjectId } from 'mongodb';
import { CommentDeletionsService } from '../../src/comments/comment-deletions.service.js';
import type { Comment } from '../../src/comments/comment.schema.js';
import { COMMENT_DELETED } from '../../src/comments/comments.events.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { POST_DELETED } from '../../src/posts/posts.events.js';
import { ACCOUNT_ENDED, AUTHOR_CHANGED } from '../../src/users/users.events.js';
import { useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { runHandlers } from '../support/cleanup.js';
import type { Person } from '../support/world.js';

const app = useApp();
const { world } = app;
let author: Person;
let reader: Person;

beforeAll(async () => {
  [author, reader] = await world.people(2);
});

const count = (collection: string, filter: object) => app.db.collection(collection).countDocuments(filter);
const vote = (what: string, id: string, { token }: Person) =>
  app.client.put(`/v1/${what}/${id}/vote`, { token, body: { value: 'like' } });

describe('cleaning up after a deleted post', () => {
  it('deletes every comment, vote and save of it, and nothing of another post', async () => {
    const [post, other] = await Promise.all([world.post({ by: author }), world.post({ by: author })]);
    for (const { id } of [post, other]) {
      for (let index = 0; index < 9; index++) {
        const root = await world.comment({ by: reader, on: id });
        await world.comment({ by: author, on: id, parentId: root.id });
        await vote('comments', root.id, author);
      }
      await vote('posts', id, reader);
      await app.client.put(`/v1/posts/${id}/save`, { token: reader.token });
    }
    await world.deletePost(post.id, { by: author });
    const postId = new ObjectId(post.id);
    const ids = await app.db.collection('comments').distinct('_id', { postId });
    await runHandlers(app, POST_DELETED, postId);
    expect(await count('comments', { postId })).toBe(0);
    expect(await count('interactions', { targetId: { $in: [postId, ...ids] } })).toBe(0);
    expect(await count('comments', { postId: new ObjectId(other.id) })).toBe(18);
    expect(await count('interactions', { targetId: new ObjectId(other.id) })).toBe(2);
    expect(await differences(app.db)).toEqual([]);
  });
});

describe('cleaning up after a deleted comment', () => {
  it('refuses replies and votes below a removed tree before the cleanup has reached them', async () => {
    const post = await world.post({ by: author });
    const root = await world.comment({ by: reader, on: post.id });
    const reply = await world.comment({ by: reader, on: post.id, parentId: root.id });
    const _id = new ObjectId(root.id);
    await app.db.collection('comments').updateOne({ _id }, { $set: { isVisible: false, deletedAt: new Date() } });
    const body = { content: 'Too late.', parentId: reply.id };
    const answers = [
      await app.client.get(`/v1/comments/${reply.id}`),
      await vote('comments', reply.id, author),
      await app.client.post(`/v1/posts/${post.id}/comments`, { token: author.token, body }),
    ];
    expect(answers.map((answer) => answer.body.code)).toEqual(answers.map(() => 'comment_not_found'));
    await app.db.collection('comments').updateOne({ _id }, { $set: { isVisible: true, deletedAt: null } });
  });

  it('removes a leaf with its votes, and of a tombstone only the votes', async () => {
    const post = await world.post({ by: author });
    const root = await world.comment({ by: reader, on: post.id });
    const reply = await world.comment({ by: reader, on: post.id, parentId: root.id });
    for (const { id } of [root, reply]) await vote('comments', id, author);
    const remove = (id: string) => app.client.delete(`/v1/comments/${id}`, { token: reader.token });
    await remove(root.id);
    await runHandlers(app, COMMENT_DELETED, new ObjectId(root.id));
    expect((await app.client.get(`/v1/comments/${root.id}`)).body).toMatchObject({
      isDeleted: true,
      stats: { likesCount: 0, repliesCount: 1 },
    });
    expect(await differences(app.db)).toEqual([]);
    await remove(reply.id);
    await runHandlers(app, COMMENT_DELETED, new ObjectId(reply.id));
    await runHandlers(app, COMMENT_DELETED, new ObjectId(root.id));
    expect(await count('comments', { postId: new ObjectId(post.id) })).toBe(0);
    expect(await count('interactions', { targetModel: 'Comment', targetId: new ObjectId(reply.id) })).toBe(0);
    expect(await differences(app.db)).toEqual([]);
    const tasks = await app.db.collection('tasks').find({ topic: COMMENT_DELETED.name }).toArray();
    const swept = tasks.map(({ payload }) => String(payload));
    // The root has one task for its votes and one for its tombstone.
    expect([root.id, reply.id].map((id) => swept.filter((other) => other === id).length)).toEqual([2, 1]);
  });

  it('removes a tombstone above a tree that is removed', async () => {
    const post = await world.post({ by: author });
    const root = await world.comment({ by: reader, on: post.id });
    const reply = await world.comment({ by: reader, on: post.id, parentId: root.id });
    await app.client.delete(`/v1/comments/${root.id}`, { token: reader.token });
    const row = (await app.db.collection('comments').findOne({ _id: new ObjectId(reply.id) })) as unknown as Comment;
    await app.app.get(MongoService).transaction((tx) => app.app.get(CommentDeletionsService).deleteTree(row, tx));
    const ids = [root.id, reply.id].map((id) => new ObjectId(id));
    const left = await app.db
      .collection('tasks')
      .find({ topic: COMMENT_DELETED.name, payload: { $in: ids } })
      .toArray();
    // The root has a second task for its earlier votes.
    expect(left.map(({ payload }) => String(payload)).sort()).toEqual([root.id, root.id, reply.id].sort());
    for (const id of ids) await runHandlers(app, COMMENT_DELETED, id);
    expect(await count('comments', { postId: new ObjectId(post.id) })).toBe(0);
    expect(await differences(app.db)).toEqual([]);
  });

  it('finishes a tree that is too large for one transaction, whose replies cannot be read until then', async () => {
    const post = await world.post({ by: author });
    const root = await world.comment({ by: reader, on: post.id });
    const middle = await world.comment({ by: reader, on: post.id, parentId: root.id });
    const leaf = await world.comment({ by: reader, on: post.id, parentId: middle.id });
    const model = await app.db.collection('comments').findOne({ _id: new ObjectId(leaf.id) });
    const many = Array.from({ length: 2_100 }, () => ({ ...model, _id: new ObjectId() }));
    await app.db.collection('comments').insertMany(many);
    const $inc = { 'stats.repliesCount': many.length };
    await app.db.collection('comments').updateOne({ _id: new ObjectId(middle.id) }, { $inc });
    const $incPost = { 'stats.commentsCount': many.length };
    await app.db.collection('posts').updateOne({ _id: new ObjectId(post.id) }, { $inc: $incPost });
    expect(await differences(app.db)).toEqual([]);

    // Simulates a process that was killed after the commit.
    const row = (await app.db.collection('comments').findOne({ _id: new ObjectId(root.id) })) as unknown as Comment;
    await app.app.get(MongoService).transaction((tx) => app.app.get(CommentDeletionsService).deleteTree(row, tx));
    expect(await differences(app.db)).toEqual([]);
    const left = await app.db.collection('comments').findOne({ postId: new ObjectId(post.id), deletedAt: null });
    expect(left).not.toBeNull();
    for (const id of [root.id, middle.id, left!._id.toHexString()]) {
      expect((await app.client.get(`/v1/comments/${id}`)).status).toBe(404);
      expect((await app.client.get(`/v1/comments/${id}/replies`)).status).toBe(404);
    }
    await runHandlers(app, COMMENT_DELETED, new ObjectId(root.id), 500);
    expect(await count('comments', { postId: new ObjectId(post.id) })).toBe(0);
    expect(await differences(app.db)).toEqual([]);

    // A running request also removes the tree. After its response no counter includes the tree.
    await app.db.collection('comments').insertMany([model!, ...many]);
    await app.db.collection('comments').insertOne({ ...row, stats: { ...row.stats, repliesCount: 1 } });
    await app.db.collection('comments').insertOne({
      ...model!,
      _id: new ObjectId(middle.id),
      parentId: row._id,
      ancestors: [row._id],
      depth: 1,
      stats: { ...row.stats, repliesCount: many.length + 1 },
    });
    const all = { 'stats.commentsCount': many.length + 3 };
    await app.db.collection('posts').updateOne({ _id: new ObjectId(post.id) }, { $set: all });
    expect(await differences(app.db)).toEqual([]);
    const { status } = await app.client.delete(`/v1/comments/${root.id}?tree=true`, { token: author.token });
    expect(status).toBe(204);
    expect((await app.client.get(`/v1/posts/${post.id}`, { token: author.token })).body.stats.commentsCount).toBe(0);
    expect(await count('comments', { postId: new ObjectId(post.id), deletedAt: null })).toBe(0);
    expect(await differences(app.db)).toEqual([]);
  });
});

describe('the cleanup of a deleted account', () => {
  it('deletes its comments, votes, saves and follows, with their counts', async () => {
    const [gone, fan] = await world.people(2);
    const post = await world.post({ by: author });
    for (let index = 0; index < 9; index++) {
      const mine = await world.comment({ by: gone, on: post.id });
      if (index % 2 === 0) await world.comment({ by: reader, on: post.id, parentId: mine.id });
      await vote('comments', mine.id, gone);
    }
    await vote('posts', post.id, gone);
    await app.client.put(`/v1/posts/${post.id}/save`, { token: gone.token });
    await app.client.put(`/v1/users/${gone.username}/follow`, { token: fan.token });
    await app.client.put(`/v1/users/${author.username}/follow`, { token: gone.token });
    await app.db.collection('users').updateOne({ _id: gone._id }, { $set: { deletedAt: new Date() } });

    await runHandlers(app, ACCOUNT_ENDED, gone._id);
    expect(await count('interactions', { userId: gone._id })).toBe(0);
    expect(await count('follows', { $or: [{ followerId: gone._id }, { followingId: gone._id }] })).toBe(0);
    expect(await count('comments', { authorId: gone._id, $or: [{ deletedAt: null }, { content: { $ne: '' } }] })).toBe(
      0,
    );
    expect((await app.client.get(`/v1/posts/${post.id}`, { token: author.token })).body.stats).toMatchObject({
      likesCount: 0,
      commentsCount: 5,
    });
    const { body } = await app.client.get(`/v1/posts/${post.id}/comments`);
    expect(
      body.data.map(({ isDeleted, author }: { isDeleted: boolean; author: unknown }) => [isDeleted, author]),
    ).toEqual(Array(5).fill([true, null]));
    expect(await differences(app.db)).toEqual([]);
  });
});

describe('following a change of name', () => {
  it('reaches every comment of the author and every list that shows one', async () => {
    const writer = await world.person();
    const post = await world.post({ by: author });
    for (let index = 0; index < 15; index++) await world.comment({ by: writer, on: post.id });
    const names = async () =>
      (await app.client.get(`/v1/posts/${post.id}/comments`)).body.data.map(
        (comment: { author: { username: string } }) => comment.author.username,
      );
    expect(await names()).toEqual(Array(15).fill(writer.username));
    await app.db.collection('users').updateOne({ _id: writer._id }, { $set: { username: 'renamed_writer' } });
    await runHandlers(app, AUTHOR_CHANGED, writer._id);
    expect(await names()).toEqual(Array(15).fill('renamed_writer'));
  });
});
