import { Double, Long, ObjectId } from 'mongodb';
import { EngagementJob, rankDiff } from '../../src/ranking/engagement.job.js';
import { LeaseService } from '../../src/platform/mongo/lease.service.js';
import { PostRanksService } from '../../src/posts/post-ranks.service.js';
import { rankBothSlots, rankOf, scoredStatsOf } from '../../src/posts/score.js';
import { ScoreEpochService } from '../../src/ranking/score-epoch.service.js';
import type { Post } from '../../src/posts/post.schema.js';
import { startApp, type TestApp } from '../support/app.js';
import { wronglyRanked } from '../support/ranks.js';
import { until } from '../support/until.js';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-01-15T12:00:00Z');

/** Returns posts of every age and size, ranked at `at`, with small numbers of every kind, so that all edge cases occur. */
function somePosts(count: number, at: Date, seed = 1) {
  let state = seed;
  const next = (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * limit);
  };
  return Array.from({ length: count }, (_, index) => {
    const createdAt = new Date(at.getTime() - next(next(3) === 0 ? 3 * DAY_MS : 800 * DAY_MS));
    const _id = new ObjectId(
      `${Math.floor(createdAt.getTime() / 1_000).toString(16)}${index.toString(16).padStart(16, '0')}`,
    );
    const contentEditedAt = next(4) === 0 ? new Date((createdAt.getTime() + at.getTime()) / 2) : createdAt;
    const stats = {
      viewsCount: next(400),
      readsCount: next(90),
      likesCount: next(40),
      dislikesCount: next(60),
      sharesCount: next(9),
      commentsCount: 0,
    };
    const visitors = {
      reads: next(stats.readsCount + 1),
      shares: next(stats.sharesCount + 1),
      likes: next(stats.likesCount + 1),
      dislikes: next(stats.dislikesCount + 1),
    };
    const scored = scoredStatsOf({ stats, visitors });
    return {
      _id,
      title: `Post ${index}`,
      type: 'article',
      tags: ['a', 'b'],
      authorId: new ObjectId(),
      isListed: true,
      version: 1,
      stats,
      visitors,
      rank: rankBothSlots(scored, createdAt, contentEditedAt, at, _id),
      createdAt,
      contentEditedAt,
      updatedAt: createdAt,
      deletedAt: null,
    };
  });
}

describe('the score job', () => {
  let app: TestApp;
  let engagement: EngagementJob;

  beforeAll(async () => {
    app = await startApp();
    engagement = app.app.get(EngagementJob);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    await app.db.collection('posts').deleteMany({});
    await app.db.collection('score_epochs').deleteMany({});
  });

  const posts = () => app.db.collection('posts');
  const epoch = () => app.db.collection('score_epochs').findOne({});

  /** Requires that every listed post has the ranks of the formula for `now` in `slot`. */
  async function expectScored(slot: 'A' | 'B', now: Date) {
    expect(await wronglyRanked(app.db, slot, now)).toEqual([]);
  }

  it('finds exactly the posts whose ranks differ from the formula, with the new ranks', async () => {
    for (const [seed, laterMs] of [
      [1, 900_000],
      [2, 6 * 3_600_000],
      [3, 20 * DAY_MS],
    ] as const) {
      await posts().deleteMany({});
      const then = new Date(NOW.getTime() - laterMs);
      await posts().insertMany(somePosts(800, then, seed));
      await posts().updateMany({ 'stats.likesCount': 7 }, { $inc: { 'stats.likesCount': 1 } });
      // Numbers of every type that other tools may store, and a post without ranks.
      await posts().updateMany({ 'stats.likesCount': 9 }, { $set: { 'stats.viewsCount': Long.fromNumber(2 ** 40) } });
      await posts().updateOne({ 'stats.likesCount': 8 }, { $unset: { rank: '' } });
      await posts().updateOne({ 'stats.likesCount': 10 }, { $unset: { 'rank.topB': '' } });
      // Fields in another order, and a score that is a whole number.
      await posts().updateMany({ 'stats.likesCount': 11 }, { $rename: { createdAt: 'publishedAt' } });
      await posts().updateMany({ 'stats.likesCount': 11 }, { $rename: { publishedAt: 'createdAt' } });
      await posts().updateMany({ 'stats.likesCount': 12 }, { $set: { 'rank.hotB': 3 } });
      await posts().updateMany({ 'stats.likesCount': 13 }, { $set: { 'rank.winB': new Double(1) } });
      const found = new Map<string, Record<string, number>>();
      for await (const post of app.app.get(PostRanksService).streamScored()) {
        const diff = rankDiff(post, 'B', NOW);
        if (diff !== null) found.set(post._id.toHexString(), diff.fields);
      }
      let expected = 0;
      for await (const row of posts().find<Post>({})) {
        const stats = scoredStatsOf(row);
        const { hot, top, ageBucket: win } = rankOf(stats, row.createdAt, row.contentEditedAt, NOW, row._id);
        const changes: Record<string, number> = {};
        if (hot !== row.rank?.hotB) changes['rank.hotB'] = hot;
        if (top !== row.rank?.topB) changes['rank.topB'] = top;
        if (win !== row.rank?.winB) changes['rank.winB'] = win;
        if (Object.keys(changes).length === 0) continue;
        expected++;
        expect(found.get(row._id.toHexString())).toEqual(changes);
      }
      expect(expected).toBeGreaterThan(20);
      expect(found.size).toBe(expected);
    }
  });

  it('leaves no cursor open when a scan is aborted', async () => {
    await posts().insertMany(somePosts(1_200, NOW));
    for await (const post of app.app.get(PostRanksService).streamScored()) if (post.stats !== undefined) break;
    const namespace = `${app.db.databaseName}.posts`;
    const operations = [{ $currentOp: { idleCursors: true } }, { $match: { type: 'idleCursor', ns: namespace } }];
    // The server receives the change a moment later.
    await until(async () => {
      const idle = await app.db.client.db('admin').aggregate(operations).toArray();
      return idle.length === 0 || null;
    });
  });

  it('fills the unused slot, changes neither the other one nor `updatedAt`, and flips', async () => {
    const then = new Date(NOW.getTime() - 5 * DAY_MS);
    await posts().insertMany(somePosts(1_200, then));
    await posts().updateOne({}, { $unset: { rank: '' } });
    const before = await posts().find().sort({ _id: 1 }).toArray();
    const result = await engagement.run({ now: NOW });
    expect(result).toMatchObject({ epoch: 2, slot: 'B', scoredAt: NOW });
    expect(await epoch()).toMatchObject({ epoch: 2, slot: 'B', scoredAt: NOW, filling: null });
    await expectScored('B', NOW);
    const after = await posts().find().sort({ _id: 1 }).toArray();
    after.forEach((post, index) => {
      expect(post.updatedAt).toEqual(before[index]!.updatedAt);
      expect(post.rank.hotA).toEqual(before[index]!.rank?.hotA);
      expect(post.stats).toEqual(before[index]!.stats);
    });
    expect(await app.app.get(ScoreEpochService).current()).toMatchObject({ epoch: 2, slot: 'B' });
  });

  it('writes only changed ranks: a second run of the same moment writes the other slot, a third nothing', async () => {
    await posts().insertMany(somePosts(1_500, new Date(NOW.getTime() - 3 * DAY_MS)));
    const first = await engagement.run({ now: NOW });
    const second = await engagement.run({ now: NOW });
    const third = await engagement.run({ now: NOW });
    expect(first!.written).toBeGreaterThan(1_000);
    expect(second!.written).toBe(first!.written);
    expect(third).toMatchObject({ written: 0, epoch: 4, slot: 'B' });
  });

  it('skips drafts, and ranks hidden and deleted posts for the day they are shown again', async () => {
    const [deleted, draft, hidden] = somePosts(3, new Date(NOW.getTime() - 30 * DAY_MS));
    await posts().insertOne({ ...draft!, isListed: false, isDraft: true });
    expect((await engagement.run({ now: NOW }))!.written).toBe(0);
    await posts().insertMany([
      { ...hidden!, isListed: false },
      { ...deleted!, isListed: false, deletedAt: NOW },
    ]);
    expect((await engagement.run({ now: NOW }))!.written).toBe(2);
  });

  it('never runs twice at the same time', async () => {
    await posts().insertMany(somePosts(1_200, new Date(NOW.getTime() - 9 * DAY_MS)));
    const other = await startApp({ beside: app });
    try {
      const outcomes = await Promise.all([
        engagement.run({ now: NOW }),
        other.app.get(EngagementJob).run({ now: NOW }),
      ]);
      expect(outcomes.filter((outcome) => outcome !== null)).toHaveLength(1);
      expect((await epoch())!.epoch).toBe(2);
    } finally {
      await other.close();
    }
  });

  it('writes the slot of the previous epoch only when no other host accepts its cursors', async () => {
    await posts().insertMany(somePosts(20, new Date(NOW.getTime() - 9 * DAY_MS)));
    const other = await startApp({ beside: app });
    try {
      await engagement.run({ now: NOW });
      const epochs = other.app.get(ScoreEpochService);
      expect(await epochs.refresh()).toMatchObject({ epoch: 2, isPreviousReadable: true });
      let known: unknown;
      await engagement.run({ now: new Date(NOW.getTime() + DAY_MS), onProgress: () => (known ??= epochs.current()) });
      // The cached epoch is too old, so the host reads it again.
      expect(known).toBeInstanceOf(Promise);
    } finally {
      await other.close();
    }
  });

  it('continues after an interruption, and readers never see the unfinished slot', async () => {
    await posts().insertMany(somePosts(2_000, new Date(NOW.getTime() - 9 * DAY_MS)));
    const stop = new AbortController();
    const stopped = engagement.run({
      ...{ now: NOW, signal: stop.signal },
      onProgress: () => stop.abort(new Error('stopped')),
    });
    await expect(stopped).rejects.toThrow('stopped');
    expect(await epoch()).toMatchObject({ epoch: 1, slot: 'A' });
    expect(await engagement.isDue()).toBe(true);
    const result = (await engagement.run({ now: NOW }))!;
    expect(result).toMatchObject({ epoch: 2, slot: 'B' });
    expect(result.written).toBeLessThan(2_000);
    expect(result.written).toBeGreaterThan(0);
    await expectScored('B', NOW);
  });

  it('has its batches refused by the server, by the clock of the database, when the lease is too short', async () => {
    await posts().insertMany(somePosts(1_000, NOW));
    const changes = (await posts().find().toArray()).map(({ _id }) => ({ _id, fields: { 'rank.hotB': 7 } }));
    const leases = app.app.get(LeaseService);
    const lease = (await leases.acquire('late', 300_000))!;
    const apply = (limitMs: number) => app.app.get(PostRanksService).applyRanks(changes, leases.fence(lease, limitMs));
    const written = () => posts().countDocuments({ 'rank.hotB': 7 });
    await expect(apply(300_100)).rejects.toThrow('the lease is over');
    expect(await written()).toBe(0);
    await leases.renew(lease, 900_000);
    await apply(300_100);
    expect(await written()).toBe(1_000);
  });

  it('does not flip when the lease was lost', async () => {
    await posts().insertMany(somePosts(1_500, new Date(NOW.getTime() - 9 * DAY_MS)));
    let isTaken = false;
    const run = engagement.run({
      now: NOW,
      onProgress: () => {
        if (isTaken) return;
        isTaken = true;
        void app.db
          .collection('leases')
          .updateOne({ _id: 'score' as never }, { $set: { holder: 'another' }, $inc: { token: 1 } });
      },
    });
    await expect(run).rejects.toThrow('The lease score is lost.');
    expect((await epoch())!.epoch).toBe(1);
  });
});
