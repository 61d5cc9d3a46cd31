import { jest } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { AuditService } from '../../src/audit/audit.service.js';
import { EngagementService, type ScoreRunResult } from '../../src/engagement/engagement.service.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { OutboxWorker } from '../../src/platform/outbox/outbox-worker.js';
import { PostRanks } from '../../src/posts/ranking/post-ranks.service.js';
import type { RankDiff } from '../../src/posts/ranking/rank-diff.js';
import { ScoreDirtySet } from '../../src/posts/ranking/score-dirty-set.service.js';
import { useApp } from '../support/app.js';
import { signUp, TEST_PASSWORD } from '../support/accounts.js';
import { forgetReaders, wronglyRanked } from '../support/ranks.js';
import type { Person } from '../support/world.js';

describe('what changes a score is seen by the next run', () => {
  const app = useApp({ env: { SWEEP_GRACE_MS: '0' } });
  const { world } = app;
  let author: Person;
  let reader: Person;

  beforeAll(async () => {
    [author, reader] = await world.people(2);
    // the first run compares all there is
    await publish();
    expect((await run()).isWhole).toBe(true);
    expect((await run()).isWhole).toBe(false);
  });

  const publish = async (fields: object = {}): Promise<string> => {
    const body = { title: 'Scores', content: 'Text.', type: 'article', ...fields };
    return (await app.client.post('/v1/posts', { token: author.token, body })).body.id;
  };
  const run = async (): Promise<ScoreRunResult> => {
    await forgetReaders(app.db);
    return (await app.app.get(EngagementService).run())!;
  };
  const rankOfPost = async (id: string, { slot }: ScoreRunResult): Promise<number> => {
    const post = await app.db.collection('posts').findOne({ _id: new ObjectId(id) });
    return post!['rank'][`top${slot}`] as number;
  };
  /** twice, since each run fills one slot; and no other post has moved or was left out */
  const runBoth = async (id: string): Promise<number> => {
    for (const result of [await run(), await run()]) {
      expect(result.isWhole).toBe(false);
      expect(await wronglyRanked(app.db, result.slot, result.scoredAt)).toEqual([]);
    }
    return Math.floor(await rankOfPost(id, await run()));
  };
  /** the process knows what it added a moment ago, and need not add it again */
  const forgetDirty = async (): Promise<void> => {
    await app.db.collection('score_marks').deleteMany({});
    Object.assign(app.app.get(ScoreDirtySet), { knownSince: -Infinity });
  };
  const vote = (id: string, value: string) =>
    app.client.put(`/v1/posts/${id}/vote`, { token: reader.token, body: { value } });

  beforeEach(forgetDirty);

  it('a vote, another one, and none', async () => {
    const id = await publish();
    await vote(id, 'like');
    expect(await runBoth(id)).toBe(3);
    // within the time in which the process knows it
    await vote(id, 'dislike');
    expect(await runBoth(id)).toBe(-1);
    await app.client.delete(`/v1/posts/${id}/vote`, { token: reader.token });
    expect(await runBoth(id)).toBe(1);
  });

  it('views, reads and shares', async () => {
    const id = await publish();
    for (const kind of ['view', 'read', 'share'])
      expect((await app.client.post(`/v1/posts/${id}/events`, { token: reader.token, body: { kind } })).status).toBe(
        200,
      );
    expect(await runBoth(id)).toBe(8);
  });

  it('another text, which begins a new age', async () => {
    const id = await publish();
    const old = new Date(Date.now() - 50 * 86_400_000);
    await app.db
      .collection('posts')
      .updateOne({ _id: new ObjectId(id) }, { $set: { createdAt: old, contentEditedAt: old } });
    await app.app.get(EngagementService).run({ isWhole: true });
    await runBoth(id);
    await forgetDirty();
    await app.client.patch(`/v1/posts/${id}`, { token: author.token, body: { content: 'Another text.' } });
    const moved = await run();
    // whatever else time has moved meanwhile
    expect([moved.isWhole, moved.written > 0]).toEqual([false, true]);
    expect(await wronglyRanked(app.db, moved.slot, moved.scoredAt)).toEqual([]);
  });

  it('what happened while a post was hidden, once it is shown again', async () => {
    const id = await publish();
    await vote(id, 'like');
    await app.client.patch(`/v1/posts/${id}`, { token: author.token, body: { isPublic: false } });
    await runBoth(id);
    await forgetDirty();
    await app.client.patch(`/v1/posts/${id}`, { token: author.token, body: { isPublic: true } });
    expect(await runBoth(id)).toBe(3);
  });

  it('what is hidden, so that it is not shown again with the rank of the day it was hidden', async () => {
    const id = await publish();
    await vote(id, 'like');
    expect(await runBoth(id)).toBe(3);
    await app.client.patch(`/v1/posts/${id}`, { token: author.token, body: { isPublic: false } });
    await app.db.collection('posts').updateOne({ _id: new ObjectId(id) }, { $set: { 'stats.likesCount': 0 } });
    expect(await runBoth(id)).toBe(1);
  });

  it('nothing of a draft, which a run that read it before would give the rank of its creation once it is published', async () => {
    const id = await publish({ isPublic: false });
    const post = { _id: new ObjectId(id) };
    await app.db.collection('posts').updateOne(post, { $set: { createdAt: new Date('2025-01-01'), 'rank.due': 7 } });
    const ranks = app.app.get(PostRanks);
    const applyRanks = ranks.applyRanks.bind(ranks);
    const ofDraft: RankDiff[] = [];
    const spy = jest.spyOn(ranks, 'applyRanks').mockImplementation((diffs, fence) => {
      ofDraft.push(...diffs.filter(({ _id }) => _id.equals(post._id)));
      return applyRanks(diffs, fence);
    });
    await app.client.patch(`/v1/posts/${id}`, { token: author.token, body: { title: 'Another' } });
    await run();
    await forgetReaders(app.db);
    await app.app.get(EngagementService).run({ isWhole: true });
    spy.mockRestore();
    expect(ofDraft).toEqual([]);
  });

  it('likes that went with an account', async () => {
    const id = await publish();
    const { email, refreshToken } = await signUp(app.client);
    await app.db.collection('credentials').updateOne({ email }, { $set: { emailVerifiedAt: new Date() } });
    const token = (await app.client.post('/v1/auth/refresh', { body: { refreshToken } })).body.accessToken;
    await app.client.put(`/v1/posts/${id}/vote`, { token, body: { value: 'like' } });
    expect(await runBoth(id)).toBe(3);
    await forgetDirty();
    expect((await app.client.delete('/v1/users/me', { token, body: { password: TEST_PASSWORD } })).status).toBe(204);
    await app.app.get(OutboxWorker).drain(new AbortController().signal);
    expect(await runBoth(id)).toBe(1);
  });

  it('a counter that was repaired', async () => {
    const id = await publish();
    await app.db.collection('posts').updateOne({ _id: new ObjectId(id) }, { $inc: { 'stats.likesCount': 5 } });
    await app.app.get(EngagementService).run({ isWhole: true });
    expect(await runBoth(id)).toBe(11);
    await forgetDirty();
    await app.app.get(AuditService).audit(() => undefined, { isRepair: true });
    expect(await runBoth(id)).toBe(1);
  });

  it('once for many votes on a post, and not for a transaction that was given up', async () => {
    const id = await publish();
    const mongo = app.app.get(MongoService);
    const dirtySet = app.app.get(ScoreDirtySet);
    const failing = mongo.transaction(async (session) => {
      await dirtySet.add([id], session);
      throw new Error('given up');
    });
    await expect(failing).rejects.toThrow('given up');
    expect(await app.db.collection('score_marks').countDocuments()).toBe(0);
    for (const value of ['like', 'dislike', 'like']) await vote(id, value);
    expect(await app.db.collection('score_marks').countDocuments()).toBe(1);
    expect(await runBoth(id)).toBe(3);
  });

  it('keeps the dirty set as long as a change may rely on it, then removes it', async () => {
    const id = await publish();
    await vote(id, 'like');
    await run();
    expect(await app.db.collection('score_marks').countDocuments()).toBe(1);
    const [row] = await app.db.collection('score_marks').find().toArray();
    const createdAt = new Date(Date.now() - 600_000);
    await app.db.collection('score_marks').insertOne({ posts: row!['posts'], createdAt });
    await run();
    expect(await app.db.collection('score_marks').countDocuments({ createdAt })).toBe(0);
    expect(await app.db.collection('score_marks').countDocuments()).toBe(1);
  });
});
