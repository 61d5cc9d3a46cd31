import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { CommentRemovalsService } from '../../src/comments/comment-removals.service.js';
import { COMMENT_DELETED, COMMENT_REMOVAL_EXPIRED } from '../../src/comments/comments.events.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { PostRemovalsService } from '../../src/posts/post-removals.service.js';
import { POST_DELETED, POST_REMOVAL_EXPIRED } from '../../src/posts/posts.events.js';
import { ACCOUNT_ENDED } from '../../src/users/users.events.js';
import { useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { runHandlers } from '../support/cleanup.js';
import { expectProblem } from '../support/problem.js';
import { scale } from '../support/scale.js';
import { runTasks } from '../support/tasks.js';
import type { Person } from '../support/world.js';

describe('a removal by a moderator', () => {
  const app = useApp({ env: { CACHE_FEED_TTL_MS: '0' } });
  const { world } = app;
  let author: Person;
  let reader: Person;
  let moderator: Person;

  const removals = (kind: 'post' | 'comment') =>
    app.app.get<PostRemovalsService>(kind === 'post' ? PostRemovalsService : CommentRemovalsService);
  const remove = async (kind: 'post' | 'comment', id: string, reason = 'It advertises a shop.') => {
    const removal = { actionId: new ObjectId(), at: new Date(), reason };
    await app.app.get(MongoService).transaction((tx) => removals(kind).moderate(new ObjectId(id), removal, tx));
    await app.untilDelivered();
    return removal;
  };
  const restore = async (kind: 'post' | 'comment', id: string) => {
    await app.app.get(MongoService).transaction((tx) => removals(kind).restore(new ObjectId(id), tx));
    await app.untilDelivered();
  };
  const statusFor = (path: string) =>
    Promise.all(
      [undefined, reader, author, moderator].map(
        async (by) => (await app.client.get(path, { token: by?.token })).status,
      ),
    );
  const idsIn = async (path: string, by?: Person): Promise<string[]> =>
    (await app.client.get(path, { token: by?.token })).body.data.map(({ id }: { id: string }) => id);
  const expire = async (kind: 'post' | 'comment', id: string) => {
    const before = new Date(Date.now() - 31 * 86_400_000);
    const _id = new ObjectId(id);
    await app.db.collection(`${kind}s`).updateOne({ _id }, { $set: { 'removal.at': before } });
    await app.db.collection('tasks').updateMany({ payload: _id }, { $set: { runAt: new Date(0) } });
    await runTasks(app, [POST_REMOVAL_EXPIRED, COMMENT_REMOVAL_EXPIRED]);
    await runHandlers(app, kind === 'post' ? POST_DELETED : COMMENT_DELETED, _id);
  };

  beforeAll(async () => {
    moderator = await world.person({ role: 'moderator' });
  });
  beforeEach(async () => {
    [author, reader] = await world.people(2);
  });

  describe('of a post', () => {
    it.each(['', '/html', '/content', '/meta', '/comments'])(
      'shows %s to its author and moderators only',
      async (form) => {
        const post = await world.post({ by: author });
        await remove('post', post.id);
        expect(await statusFor(`/v1/posts/${post.id}${form}`)).toEqual([404, 404, 200, 200]);
      },
    );

    it.each(['public', 'unlisted', 'private'] as const)('returns a %s post as it was', async (visibility) => {
      const { body: post } = await app.client.post('/v1/posts', {
        token: author.token,
        body: { title: 'Notes', content: 'It weaves.', type: 'article', visibility },
      });
      if (visibility !== 'private') {
        await app.client.put(`/v1/posts/${post.id}/vote`, { token: reader.token, body: { value: 'like' } });
        await world.comment({ by: reader, on: post.id });
      }
      const seen = async () => ({
        statuses: await statusFor(`/v1/posts/${post.id}`),
        feed: (await idsIn('/v1/feed?sort=latest')).includes(post.id),
        ofAuthor: await idsIn(`/v1/users/${author.username}/posts`),
        stats: (await app.client.get(`/v1/users/${author.username}`)).body.stats,
        post: (await app.client.get(`/v1/posts/${post.id}`, { token: author.token })).body,
      });
      const before = await seen();
      const { actionId, at, reason } = await remove('post', post.id);
      const removed = await seen();
      expect(removed).toMatchObject({ statuses: [404, 404, 200, 200], feed: false, ofAuthor: [] });
      expect(removed.post).toMatchObject({
        visibility: 'private',
        removal: { actionId: actionId.toHexString(), at: at.toISOString(), reason },
      });
      expect(await differences(app.db)).toEqual([]);
      await restore('post', post.id);
      const after = await seen();
      const { updatedAt } = after.post;
      expect(after).toEqual({ ...before, post: { ...before.post, updatedAt } });
      expect(await differences(app.db)).toEqual([]);
    });

    it('lets its author edit the text and delete it, but neither publish nor restore it', async () => {
      const post = await world.post({ by: author });
      await remove('post', post.id);
      const path = `/v1/posts/${post.id}`;
      const { token } = author;
      for (const body of [{ isPublic: true }, { visibility: 'unlisted' }])
        expectProblem(await app.client.patch(path, { token, body }), 409, 'post_removed');
      expect((await app.client.patch(path, { token, body: { title: 'Better notes' } })).body.title).toBe(
        'Better notes',
      );
      const draft = (await app.client.post('/v1/drafts', { token, body: { postId: post.id } })).body;
      await app.client.patch(`/v1/drafts/${draft.id}`, {
        token,
        body: { content: 'Other' },
        headers: { 'if-match': '*' },
      });
      expect((await app.client.post(`/v1/drafts/${draft.id}/publish`, { token })).status).toBe(200);
      expect(await statusFor(path)).toEqual([404, 404, 200, 200]);
      expect((await app.client.delete(path, { token })).status).toBe(204);
      expect(await idsIn('/v1/drafts?state=trashed', author)).toEqual([]);
    });

    it('refuses votes, comments and saves of others', async () => {
      const post = await world.post({ by: author });
      await remove('post', post.id);
      const path = `/v1/posts/${post.id}`;
      const { token } = reader;
      expectProblem(await app.client.put(`${path}/vote`, { token, body: { value: 'like' } }), 404, 'post_not_found');
      expectProblem(await app.client.put(`${path}/save`, { token }), 404, 'post_not_found');
      expectProblem(
        await app.client.post(`${path}/comments`, { token, body: { content: 'Hm.' } }),
        404,
        'post_not_found',
      );
    });

    it('happens once, and is restored once', async () => {
      const post = await world.post({ by: author });
      await expect(restore('post', post.id)).rejects.toMatchObject({ code: 'not_removed' });
      await remove('post', post.id);
      await expect(remove('post', post.id)).rejects.toMatchObject({ code: 'already_removed' });
      await restore('post', post.id);
      await expect(restore('post', post.id)).rejects.toMatchObject({ code: 'not_removed' });
      await expect(remove('post', new ObjectId().toHexString())).rejects.toMatchObject({ code: 'post_not_found' });
    });

    it('deletes the post after 30 days, unless it was restored', async () => {
      const [removed, restored] = [await world.post({ by: author }), await world.post({ by: author })];
      await remove('post', removed.id);
      await remove('post', restored.id);
      await restore('post', restored.id);
      await expire('post', removed.id);
      await app.db
        .collection('tasks')
        .updateMany({ payload: new ObjectId(restored.id) }, { $set: { runAt: new Date(0) } });
      await runTasks(app, [POST_REMOVAL_EXPIRED]);
      expect(await app.db.collection('posts').countDocuments({ _id: new ObjectId(removed.id) })).toBe(0);
      expect(await statusFor(`/v1/posts/${restored.id}`)).toEqual([200, 200, 200, 200]);
      expect(await differences(app.db)).toEqual([]);
    });
  });

  describe('of a comment', () => {
    it('leaves a tombstone, whose text its author and moderators can read', async () => {
      const post = await world.post({ by: author });
      const comment = await world.comment({ by: reader, on: post.id, content: 'Buy my shop.' });
      await remove('comment', comment.id);
      const list = await app.client.get(`/v1/posts/${post.id}/comments`, { token: author.token });
      expect(list.body.data).toMatchObject([{ id: comment.id, author: null, content: null, isDeleted: true }]);
      const path = `/v1/comments/${comment.id}`;
      for (const by of [undefined, author])
        expect((await app.client.get(path, { token: by?.token })).body).toMatchObject({
          content: null,
          isDeleted: true,
        });
      for (const by of [reader, moderator])
        expect((await app.client.get(path, { token: by.token })).body).toMatchObject({
          content: 'Buy my shop.',
          removal: { reason: 'It advertises a shop.' },
        });
      expect((await app.client.get(`/v1/posts/${post.id}`)).body.stats.commentsCount).toBe(0);
      expect((await app.client.get(`/v1/comments/html?ids=${comment.id}`)).body.data).toEqual([]);
      expect(await differences(app.db)).toEqual([]);
    });

    it('is a tombstone in every list, except for its author and moderators', async () => {
      const post = await world.post({ by: author });
      const comment = await world.comment({ by: reader, on: post.id, content: 'Buy my shop.' });
      const reply = await world.comment({ by: reader, on: post.id, parentId: comment.id, content: 'And mine.' });
      await remove('comment', comment.id);
      await remove('comment', reply.id);
      const lists = [
        ...['', '?sort=oldest', '?sort=top'].map((query) => [`posts/${post.id}/comments${query}`, comment.id]),
        [`comments/${comment.id}/replies`, reply.id],
        [`comments?ids=${reply.id}`, reply.id],
      ];
      for (const [list, id] of lists) {
        const own = (await app.client.get(`/v1/comments/${id}`, { token: reader.token })).body;
        const shared = (await app.client.get(`/v1/comments/${id}`)).body;
        expect([own.removal.reason, shared.author, shared.content]).toEqual(['It advertises a shop.', null, null]);
        for (const by of [undefined, author, reader, moderator])
          expect([list, (await app.client.get(`/v1/${list}`, { token: by?.token })).body.data]).toEqual([
            list,
            [by === reader || by === moderator ? own : shared],
          ]);
      }
    });

    it('returns it with its votes and replies', async () => {
      const post = await world.post({ by: author });
      const comment = await world.comment({ by: reader, on: post.id });
      const reply = await world.comment({ by: author, on: post.id, parentId: comment.id });
      await app.client.put(`/v1/comments/${comment.id}/vote`, { token: author.token, body: { value: 'like' } });
      const seen = async () => (await app.client.get(`/v1/posts/${post.id}/comments`)).body.data[0];
      const { updatedAt, ...before } = await seen();
      await remove('comment', comment.id);
      const { token } = author;
      const path = `/v1/comments/${comment.id}`;
      expectProblem(await app.client.put(`${path}/vote`, { token, body: { value: 'like' } }), 404, 'comment_not_found');
      const body = { content: 'Hm.', parentId: comment.id };
      expectProblem(await app.client.post(`/v1/posts/${post.id}/comments`, { token, body }), 404, 'comment_not_found');
      const edit = { token: reader.token, body: { content: 'Hm.' } };
      expectProblem(await app.client.patch(path, edit), 404, 'comment_not_found');
      // Its place does not depend on the reply.
      expect((await app.client.delete(`/v1/comments/${reply.id}`, { token })).status).toBe(204);
      await restore('comment', comment.id);
      const { updatedAt: later, ...after } = await seen();
      expect(after).toEqual({ ...before, stats: { ...before.stats, repliesCount: 0 } });
      expect(Date.parse(later)).toBeGreaterThan(Date.parse(updatedAt));
      expect(await differences(app.db)).toEqual([]);
    });

    it('happens once, and is restored once', async () => {
      const post = await world.post({ by: author });
      const { id } = await world.comment({ by: reader, on: post.id });
      await expect(restore('comment', id)).rejects.toMatchObject({ code: 'not_removed' });
      await remove('comment', id);
      await expect(remove('comment', id)).rejects.toMatchObject({ code: 'already_removed' });
      expect((await app.client.delete(`/v1/comments/${id}`, { token: reader.token })).status).toBe(204);
      await expect(restore('comment', id)).rejects.toMatchObject({ code: 'comment_not_found' });
      expect(await differences(app.db)).toEqual([]);
    });

    it('deletes the comment after 30 days', async () => {
      const post = await world.post({ by: author });
      const { id } = await world.comment({ by: reader, on: post.id });
      await remove('comment', id);
      await expire('comment', id);
      expect(await app.db.collection('comments').countDocuments({ _id: new ObjectId(id) })).toBe(0);
      expect(await differences(app.db)).toEqual([]);
    });

    it('is deleted with its account and with its thread', async () => {
      const post = await world.post({ by: author });
      const [one, root] = [
        await world.comment({ by: reader, on: post.id }),
        await world.comment({ by: author, on: post.id }),
      ];
      const below = await world.comment({ by: reader, on: post.id, parentId: root.id });
      await remove('comment', one.id);
      await remove('comment', below.id);
      expect((await app.client.delete(`/v1/comments/${root.id}?tree=true`, { token: author.token })).status).toBe(204);
      await app.db.collection('users').updateOne({ _id: reader._id }, { $set: { deletedAt: new Date() } });
      await runHandlers(app, ACCOUNT_ENDED, reader._id);
      const texts = { 'removal.content': { $exists: true } };
      expect(await app.db.collection('comments').countDocuments({ postId: new ObjectId(post.id), ...texts })).toBe(0);
      expect(await differences(app.db)).toEqual([]);
    });
  });

  it('leaves every counter equal to its rows after any sequence of changes', async () => {
    const post = await world.post({ by: author });
    const comment = await world.comment({ by: reader, on: post.id });
    const path = `/v1/posts/${post.id}`;
    const ignore = () => undefined;
    const steps: Record<string, () => Promise<unknown>> = {
      removePost: () => remove('post', post.id).catch(ignore),
      restorePost: () => restore('post', post.id).catch(ignore),
      removeComment: () => remove('comment', comment.id).catch(ignore),
      restoreComment: () => restore('comment', comment.id).catch(ignore),
      like: () => app.client.put(`${path}/vote`, { token: reader.token, body: { value: 'like' } }),
      unlike: () => app.client.delete(`${path}/vote`, { token: reader.token }),
      hide: () => app.client.patch(path, { token: author.token, body: { isPublic: false } }),
      publish: () => app.client.patch(path, { token: author.token, body: { isPublic: true } }),
      reply: () => world.comment({ by: author, on: post.id, parentId: comment.id }).catch(ignore),
    };
    const names = fc.array(fc.constantFrom(...Object.keys(steps)), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(names, async (sequence) => {
        for (const name of sequence) await steps[name]!();
        expect(await differences(app.db)).toEqual([]);
      }),
      { numRuns: scale('removalRuns') },
    );
  });
});

describe('a cached page of comments', () => {
  const cached = useApp({ oneHost: 'each process caches responses of its own', env: { CACHE_FEED_TTL_MS: '600000' } });
  /** The framework adds Server-Timing; the listener before it does not. */
  const look = async (by: Person | undefined, path: string) => {
    const { headers } = await cached.client.get(path, { token: by?.token });
    return [headers.get('x-cache'), headers.has('server-timing') ? 'framework' : 'listener'];
  };

  it('is shared with all but the author of a removed comment and moderators', async () => {
    const [reader, author] = await cached.world.people(2);
    const moderator = await cached.world.person({ role: 'moderator' });
    const { id } = await cached.world.post({ by: author });
    const list = `/v1/posts/${id}/comments`;
    const comment = await cached.world.comment({ by: author, on: id });
    for (const by of [undefined, author, moderator]) await look(by, list);
    expect(await look(author, list)).toEqual(['HIT', 'listener']);
    expect(await look(moderator, list)).toEqual(['HIT', 'listener']);

    const about = { targetKind: 'comment', targetId: comment.id, reasonCode: 'spam', publicReason: 'It sells.' };
    const body = { kind: 'remove', ...about };
    const { status } = await cached.client.post('/v1/moderation/actions', { token: moderator.token, body });
    expect(status).toBe(201);
    await look(undefined, list);
    await look(reader, list);
    expect(await look(reader, list)).toEqual(['HIT', 'listener']);
    expect(await look(author, list)).toEqual(['BYPASS', 'framework']);
    expect(await look(moderator, list)).toEqual(['BYPASS', 'framework']);
  });
});
