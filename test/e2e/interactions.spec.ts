import { ObjectId } from 'mongodb';
import { startApp, useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';
import { ReceivedLikesService } from '../../src/users/received-likes.service.js';

const app = useApp();
const { world } = app;
let author: Person;

beforeAll(async () => {
  author = await world.person();
});
afterEach(async () => {
  expect(await differences(app.db)).toEqual([]);
});

/** Retries, because a server may refuse some of 1,000 concurrent requests. */
const like = (id: string, token: string) => app.patient.put(`/v1/posts/${id}/vote`, { token, body: { value: 'like' } });
const voteRows = (targetId: string) =>
  app.db
    .collection('interactions')
    .find({ targetId: new ObjectId(targetId), kind: 'vote' })
    .toArray();

describe('PUT and DELETE /v1/posts/:id/vote', () => {
  it('is idempotent and returns the stored vote and the exact counts', async () => {
    const reader = await world.person();
    const { id } = await world.post({ by: author });
    const path = `/v1/posts/${id}/vote`;
    const put = (value: string) => app.client.put(path, { token: reader.token, body: { value } });
    for (let times = 0; times < 2; times++) {
      const { status, body } = await put('like');
      expect([status, body]).toEqual([
        200,
        { targetId: id, value: 'like', stats: { likesCount: 1, dislikesCount: 0 } },
      ]);
    }
    expect((await put('dislike')).body).toEqual({
      targetId: id,
      value: 'dislike',
      stats: { likesCount: 0, dislikesCount: 1 },
    });
    for (let times = 0; times < 2; times++) {
      const { body } = await app.client.delete(path, { token: reader.token });
      expect(body).toEqual({ targetId: id, value: null, stats: { likesCount: 0, dislikesCount: 0 } });
    }
    expect(await voteRows(id)).toEqual([]);
  });

  it('counts 1,000 concurrent likes of one post as 1,000', async () => {
    const people = await world.people(1_000);
    const { id } = await world.post({ by: author });
    const answers = await Promise.all(people.map(({ token }) => like(id, token)));
    expect(answers.filter(({ status }) => status !== 200).map(({ body }) => body)).toEqual([]);
    expect(answers.map(({ body }) => body.stats.likesCount as number).sort((a, b) => a - b)).toEqual(
      people.map((_, index) => index + 1),
    );
    expect(await voteRows(id)).toHaveLength(1_000);
    const post = await app.db.collection('posts').findOne({ _id: new ObjectId(id) });
    expect(post!.stats.likesCount).toBe(1_000);
  });

  it('counts 1,000 concurrent likes of one account as one', async () => {
    const reader = await world.person();
    const { id } = await world.post({ by: author });
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => like(id, reader.token)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.stats?.likesCount ?? body.code}`))).toEqual(
      new Set(['200 1']),
    );
    expect(await voteRows(id)).toHaveLength(1);
  });

  it('keeps counters equal to rows during concurrent likes and dislikes over two servers on one database', async () => {
    const other = await startApp({ beside: app });
    try {
      const people = await world.people(12);
      const posts = await Promise.all([world.post({ by: author }), world.post({ by: author })]);
      const change = (index: number) => {
        const { patient } = index % 2 === 0 ? app : other;
        const { token } = people[Math.floor(Math.random() * people.length)]!;
        const path = `/v1/posts/${posts[index % 7 === 0 ? 1 : 0].id}/vote`;
        const value = ['like', 'dislike', null][Math.floor(Math.random() * 3)];
        return value === null ? patient.delete(path, { token }) : patient.put(path, { token, body: { value } });
      };
      const statuses = new Set<number>();
      for (let wave = 0; wave < 4; wave++) {
        const answers = await Promise.all(Array.from({ length: 150 }, (_, index) => change(index)));
        for (const { status } of answers) statuses.add(status);
      }
      expect(statuses).toEqual(new Set([200]));
      expect(await differences(app.db)).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it('counts the likes of listed posts for the author, and removes them with the post', async () => {
    const [writer, ...readers] = await world.people(4);
    const post = await world.post({ by: writer });
    for (const { token } of readers)
      await app.client.put(`/v1/posts/${post.id}/vote`, { token, body: { value: 'like' } });
    const stats = async () => {
      await app.app.get(ReceivedLikesService).fold(AbortSignal.timeout(60_000));
      return (await app.db.collection('users').findOne({ _id: writer._id }))!;
    };
    expect((await stats()).stats.likesReceivedCount).toBe(3);
    expect((await stats()).likesPerPost).toBe(3);
    await world.editPost(post.id, { by: writer, isPublic: false });
    expect((await stats()).stats.likesReceivedCount).toBe(0);
    // The writer's vote on the draft counts on the draft, not on the profile.
    await app.client.put(`/v1/posts/${post.id}/vote`, { token: writer.token, body: { value: 'like' } });
    expect((await stats()).stats.likesReceivedCount).toBe(0);
    await world.editPost(post.id, { by: writer, isPublic: true });
    expect((await stats()).stats.likesReceivedCount).toBe(4);
  });

  it('refuses a hidden, deleted or unknown post, and stores nothing about it', async () => {
    const reader = await world.person();
    const draft = await world.post({ by: author, isPublic: false });
    const deleted = await world.post({ by: author });
    await world.deletePost(deleted.id, { by: author });
    for (const id of [draft.id, deleted.id, new ObjectId().toHexString()]) {
      for (const what of ['vote', 'save']) {
        const body = what === 'vote' ? { value: 'like' } : undefined;
        const answer = await app.client.put(`/v1/posts/${id}/${what}`, { token: reader.token, body });
        expectProblem(answer, 404, 'post_not_found');
      }
    }
    expect(await app.db.collection('interactions').countDocuments({ userId: reader._id })).toBe(0);
    expect((await app.client.put(`/v1/posts/${draft.id}/save`, { token: author.token })).status).toBe(200);
  });

  it('refuses an invalid vote by naming the field, and writes nothing', async () => {
    const reader = await world.person();
    const { id } = await world.post({ by: author });
    const { token } = reader;
    for (const body of [{}, { value: 'love' }, { value: null }, { value: { $gt: '' } }, { value: ['like'] }, []]) {
      const answer = await app.client.put(`/v1/posts/${id}/vote`, { token, body });
      expectProblem(answer, 400, 'invalid_input');
    }
    const unknown = await app.client.put(`/v1/posts/${id}/vote`, { token, body: { value: 'like', userId: author.id } });
    expect([unknown.status, unknown.body.errors[0].field]).toEqual([400, 'userId']);
    const badId = await app.client.put('/v1/posts/not-an-id/vote', { token, body: { value: 'like' } });
    expectProblem(badId, 400, 'invalid_id');
    expect((await app.client.put(`/v1/posts/${id}/vote`, { body: { value: 'like' } })).status).toBe(401);
    expect(await voteRows(id)).toEqual([]);
  });
});

describe('PUT and DELETE /v1/comments/:id/vote', () => {
  it('counts on the comment only', async () => {
    const reader = await world.person();
    const post = await world.post({ by: author });
    const comment = await world.comment({ by: author, on: post.id });
    const path = `/v1/comments/${comment.id}/vote`;
    const { body } = await app.client.put(path, { token: reader.token, body: { value: 'like' } });
    expect(body).toEqual({ targetId: comment.id, value: 'like', stats: { likesCount: 1, dislikesCount: 0 } });
    const stored = await app.db.collection('posts').findOne({ _id: new ObjectId(post.id) });
    expect(stored!.stats.likesCount).toBe(0);
    expect((await app.client.delete(path, { token: reader.token })).body.stats.likesCount).toBe(0);
  });

  it('refuses a comment on an unreadable post', async () => {
    const reader = await world.person();
    const draft = await world.post({ by: author, isPublic: false });
    const comment = await world.comment({ by: author, on: draft.id });
    const vote = (token: string) =>
      app.client.put(`/v1/comments/${comment.id}/vote`, { token, body: { value: 'like' } });
    expect([(await vote(reader.token)).status, (await vote(author.token)).status]).toEqual([404, 200]);
    const post = await app.client.put(`/v1/comments/${draft.id}/vote`, {
      token: author.token,
      body: { value: 'like' },
    });
    expect(post.body.code).toBe('comment_not_found');
  });
});

describe('PUT and DELETE /v1/posts/:id/save', () => {
  it('is idempotent, keeps its time, and never counts as a vote', async () => {
    const reader = await world.person();
    const { id } = await world.post({ by: author });
    const path = `/v1/posts/${id}/save`;
    const first = await app.client.put(path, { token: reader.token });
    expect(first.body).toEqual({ postId: id, isSaved: true, savedAt: expect.any(String) });
    expect((await app.client.put(path, { token: reader.token })).body).toEqual(first.body);
    expect((await voteRows(id)).length).toBe(0);
    await app.client.put(`/v1/posts/${id}/vote`, { token: reader.token, body: { value: 'like' } });
    for (let times = 0; times < 2; times++) {
      const { body } = await app.client.delete(path, { token: reader.token });
      expect(body).toEqual({ postId: id, isSaved: false, savedAt: null });
    }
    const post = await app.db.collection('posts').findOne({ _id: new ObjectId(id) });
    expect([post!.stats.likesCount, post!.stats.dislikesCount]).toEqual([1, 0]);
  });
});

describe('GET /v1/users/me/saved', () => {
  it('lists the latest save first in full pages, without hidden or deleted posts', async () => {
    const reader = await world.person();
    const { token } = reader;
    const posts = [];
    for (let index = 0; index < 15; index++) posts.push(await world.post({ by: author }));
    for (const { id } of posts) await app.client.put(`/v1/posts/${id}/save`, { token });
    for (const [index, { id }] of posts.entries()) {
      if (index % 3 === 0) await world.editPost(id, { by: author, isPublic: false });
      if (index % 3 === 1) await world.deletePost(id, { by: author });
    }
    const expected = posts
      .filter((_, index) => index % 3 === 2)
      .map(({ id }) => id)
      .reverse();
    for (const limit of [1, 2, 5, 100]) {
      const seen: string[] = [];
      for (let cursor = ''; ;) {
        const { body } = await app.client.get(`/v1/users/me/saved?limit=${limit}${cursor}`, { token });
        seen.push(...body.data.map((card: { id: string }) => card.id));
        if (body.page.nextCursor === null) break;
        expect(body.data).toHaveLength(limit);
        cursor = `&cursor=${body.page.nextCursor}`;
      }
      expect(seen).toEqual(expected);
    }
    expect((await app.client.get('/v1/users/me/saved')).status).toBe(401);
  });

  it('refuses the cursor of another reader', async () => {
    const [reader, other] = await world.people(2);
    for (let index = 0; index < 2; index++) {
      const { id } = await world.post({ by: author });
      await app.client.put(`/v1/posts/${id}/save`, { token: reader.token });
    }
    const { body } = await app.client.get('/v1/users/me/saved?limit=1', { token: reader.token });
    const path = `/v1/users/me/saved?cursor=${body.page.nextCursor}`;
    expect((await app.client.get(path, { token: reader.token })).status).toBe(200);
    expect((await app.client.get(path, { token: other.token })).body.code).toBe('invalid_cursor');
  });
});
