import { Binary, Double, Long, ObjectId } from 'mongodb';
import { EngagementService } from '../../src/engagement/engagement.service.js';
import { type RebuildOptions, SlotRebuild } from '../../src/engagement/slot-rebuild.service.js';
import { SlotRefresh } from '../../src/engagement/slot-refresh.service.js';
import { PostRanks } from '../../src/posts/ranking/post-ranks.service.js';
import { rankDiffs } from '../../src/posts/ranking/rank-diff.js';
import { rankBothSlots, rankHoldsUntil, rankOf, scoredStatsOf } from '../../src/posts/ranking/score.js';
import { ScoreEpochService } from '../../src/posts/ranking/score-epoch.service.js';
import type { PostRow } from '../../src/posts/post-row.js';
import { startApp, type TestApp } from '../support/app.js';
import { forgetReaders, UNFENCED, wronglyRanked } from '../support/ranks.js';
import { until } from '../support/until.js';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-01-15T12:00:00Z');

/** posts of every age and size, ranked as of `at`; small numbers of every kind, so that all edges occur */
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
    // some were written by a version that knew nothing of visitors
    const visitors =
      next(3) === 0 ? undefined : { reads: next(stats.readsCount + 1), shares: next(stats.sharesCount + 1) };
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
      ...(visitors && { visitors }),
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
  let engagement: EngagementService;

  beforeAll(async () => {
    app = await startApp();
    engagement = app.app.get(EngagementService);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    await app.db.collection('posts').deleteMany({});
    await app.db.collection('score_epochs').deleteMany({});
    await app.db.collection('score_marks').deleteMany({});
  });

  const rebuildSlot = (options: RebuildOptions) => app.app.get(SlotRebuild).rebuildSlot(options);
  const refreshSlot = (options: Parameters<SlotRefresh['refreshSlot']>[0]) =>
    app.app.get(SlotRefresh).refreshSlot(options);
  const posts = () => app.db.collection('posts');
  const epoch = () => app.db.collection('score_epochs').findOne({});

  /** every listed post holds in `slot` what the formula gives for `now` */
  async function expectScored(slot: 'A' | 'B', now: Date) {
    expect(await wronglyRanked(app.db, slot, now)).toEqual([]);
  }

  it('finds exactly the posts whose ranks differ from the formula, with what is to be written', async () => {
    for (const [seed, laterMs] of [
      [1, 900_000],
      [2, 6 * 3_600_000],
      [3, 20 * DAY_MS],
    ] as const) {
      await posts().deleteMany({});
      const then = new Date(NOW.getTime() - laterMs);
      await posts().insertMany(somePosts(3_000, then, seed));
      await posts().updateMany({ 'stats.likesCount': 7 }, { $inc: { 'stats.likesCount': 1 } });
      // numbers of every type that other tools may store, and a post without ranks
      await posts().updateMany({ 'stats.likesCount': 9 }, { $set: { 'stats.viewsCount': Long.fromNumber(2 ** 40) } });
      await posts().updateOne({ 'stats.likesCount': 8 }, { $unset: { rank: '' } });
      await posts().updateOne({ 'stats.likesCount': 10 }, { $unset: { 'rank.topB': '' } });
      // fields in another order, a score that is a whole number
      await posts().updateMany({ 'stats.likesCount': 11 }, { $rename: { createdAt: 'publishedAt' } });
      await posts().updateMany({ 'stats.likesCount': 11 }, { $rename: { publishedAt: 'createdAt' } });
      await posts().updateMany({ 'stats.likesCount': 12 }, { $set: { 'rank.hotB': 3 } });
      await posts().updateMany({ 'stats.likesCount': 13 }, { $set: { 'rank.winB': new Double(1) } });
      const found = new Map<string, Record<string, number | Date>>();
      for await (const { _id, changes } of rankDiffs(app.app.get(PostRanks).streamScored(), 'B', NOW))
        found.set(_id.toHexString(), changes);
      let expected = 0;
      for await (const row of posts().find<PostRow>({})) {
        const stats = scoredStatsOf(row);
        const { hot, top, ageBucket: win } = rankOf(stats, row.createdAt, row.contentEditedAt, NOW, row._id);
        const changes: Record<string, number | Date> = {};
        if (hot !== row.rank?.hotB) changes['rank.hotB'] = hot;
        if (top !== row.rank?.topB) changes['rank.topB'] = top;
        if (win !== row.rank?.winB) changes['rank.winB'] = win;
        const isOtherHeld = hot === row.rank?.hotA && top === row.rank?.topA && win === row.rank?.winA;
        const due = isOtherHeld ? rankHoldsUntil(stats, row.createdAt, row.contentEditedAt, NOW) : 0;
        if (due !== row.rank?.due.getTime()) changes['rank.due'] = new Date(due);
        if (Object.keys(changes).length === 0) continue;
        expected++;
        expect(found.get(row._id.toHexString())).toEqual(changes);
      }
      expect(expected).toBeGreaterThan(20);
      expect(found.size).toBe(expected);
    }
  });

  it('leaves no cursor behind when a scan is given up', async () => {
    await posts().insertMany(somePosts(2_000, NOW));
    for await (const post of app.app.get(PostRanks).streamScored()) if (post.stats !== undefined) break;
    const namespace = `${app.db.databaseName}.posts`;
    const operations = [{ $currentOp: { idleCursors: true } }, { $match: { type: 'idleCursor', ns: namespace } }];
    // the server hears of it a moment later
    await until(async () => {
      const idle = await app.db.client.db('admin').aggregate(operations).toArray();
      return idle.length === 0 || null;
    });
  });

  it('fills the slot that readers do not use, leaves the other and `updatedAt` alone, and flips', async () => {
    const then = new Date(NOW.getTime() - 5 * DAY_MS);
    await posts().insertMany(somePosts(2_500, then));
    await posts().updateOne({}, { $unset: { rank: '' } });
    const before = await posts().find().sort({ _id: 1 }).toArray();
    const result = await engagement.run({ now: NOW });
    expect(result).toMatchObject({ epoch: 2, slot: 'B', scoredAt: NOW, isResumed: false });
    expect(await epoch()).toMatchObject({ epoch: 2, slot: 'B', scoredAt: NOW, filling: null });
    await expectScored('B', NOW);
    const after = await posts().find().sort({ _id: 1 }).toArray();
    after.forEach((post, index) => {
      expect(post.updatedAt).toEqual(before[index]!.updatedAt);
      expect(post.rank.hotA).toEqual(before[index]!.rank?.hotA);
      expect(post.stats).toEqual(before[index]!.stats);
    });
    expect(await engagement.currentEpoch()).toMatchObject({ epoch: 2, slot: 'B' });
  });

  it('writes only what moved: a second and third run of the same moment touch the other slot, then nothing', async () => {
    await posts().insertMany(somePosts(1_500, new Date(NOW.getTime() - 3 * DAY_MS)));
    const first = await engagement.run({ now: NOW });
    const second = await engagement.run({ now: NOW });
    const third = await engagement.run({ now: NOW });
    expect(first!.written).toBeGreaterThan(1_000);
    expect(second!.written).toBe(first!.written);
    expect(third).toMatchObject({ written: 0, epoch: 4, slot: 'B' });
  });

  it('leaves deleted posts alone, and ranks hidden ones for the day they are shown again', async () => {
    const [deleted, hidden] = somePosts(2, new Date(NOW.getTime() - 30 * DAY_MS));
    await posts().insertOne({ ...deleted!, isListed: false, deletedAt: NOW });
    expect((await engagement.run({ now: NOW }))!.written).toBe(0);
    await posts().insertOne({ ...hidden!, isListed: false });
    expect((await engagement.run({ now: NOW, isWhole: true }))!.written).toBe(1);
  });

  it('never runs twice at the same time', async () => {
    await posts().insertMany(somePosts(2_000, new Date(NOW.getTime() - 9 * DAY_MS)));
    const other = await startApp({ beside: app });
    try {
      const outcomes = await Promise.all([
        engagement.run({ now: NOW }),
        other.app.get(EngagementService).run({ now: NOW }),
      ]);
      expect(outcomes.filter((outcome) => outcome !== null)).toHaveLength(1);
      expect((await epoch())!.epoch).toBe(2);
    } finally {
      await other.close();
    }
  });

  it('writes the slot of the epoch before only when no other host takes its cursors any more', async () => {
    await posts().insertMany(somePosts(20, new Date(NOW.getTime() - 9 * DAY_MS)));
    const other = await startApp({ beside: app });
    try {
      await engagement.run({ now: NOW });
      const epochs = other.app.get(ScoreEpochService);
      expect(await epochs.refresh()).toMatchObject({ epoch: 2, isPreviousReadable: true });
      let known: unknown;
      await engagement.run({ now: new Date(NOW.getTime() + DAY_MS), onProgress: () => (known ??= epochs.current()) });
      // what it held is too old, so it asks
      expect(known).toBeInstanceOf(Promise);
    } finally {
      await other.close();
    }
  });

  it('continues with the same moment after an interruption, and readers see nothing of the unfinished slot', async () => {
    await posts().insertMany(somePosts(6_000, new Date(Date.now() - 9 * DAY_MS)));
    const stop = new AbortController();
    const stopped = engagement.run({ signal: stop.signal, onProgress: () => stop.abort(new Error('stopped')) });
    await expect(stopped).rejects.toThrow('stopped');
    const halfway = (await epoch())!;
    expect(halfway).toMatchObject({ epoch: 1, slot: 'A' });
    const result = (await engagement.run())!;
    expect(result).toMatchObject({ epoch: 2, isResumed: true, scoredAt: halfway.filling.now });
    // what the first attempt stored is not written again
    expect(result.written).toBeLessThan(6_000);
    expect(result.written).toBeGreaterThan(0);
    await expectScored('B', halfway.filling.now);
  });

  const indexNames = async () => (await posts().listIndexes().toArray()).map(({ name }) => name as string).sort();
  type Dropped = Parameters<RebuildOptions['beforeDrop']>[0];

  it('drops and rebuilds the indexes of the slot when nearly all has moved, also after a crash in between', async () => {
    await posts().insertMany(somePosts(3_000, new Date(NOW.getTime() - 40 * DAY_MS)));
    await posts().updateMany({}, { $unset: { rank: '' } });
    const all = await indexNames();
    const signal = new AbortController().signal;
    let dropped: Dropped = [];
    const crash = rebuildSlot({
      slot: 'B',
      now: NOW,
      signal,
      fence: UNFENCED,
      droppedIndexes: null,
      reindexFrom: 1,
      beforeDrop: async (indexes) => {
        dropped = indexes;
      },
      onProgress: () => {
        throw new Error('crash');
      },
    });
    await expect(crash).rejects.toThrow('crash');
    // those of the slot, and the one by which posts that are due are found
    expect(dropped).toHaveLength(8);
    expect(await indexNames()).toEqual(all.filter((name) => !dropped.some((index) => index.name === name)));
    const outcome = await rebuildSlot({
      slot: 'B',
      now: NOW,
      signal,
      fence: UNFENCED,
      droppedIndexes: dropped,
      beforeDrop: async () => {
        throw new Error('nothing is left to drop');
      },
    });
    expect(outcome.isReindexed).toBe(true);
    expect(await indexNames()).toEqual(all);
    await expectScored('B', NOW);
  });

  it('leaves indexes alone whose fields stay: time moves `hot`, not `top`', async () => {
    const then = new Date(NOW.getTime() - 60_000);
    await posts().insertMany(somePosts(3_000, then));
    await posts().updateMany({}, { $mul: { 'rank.hotB': 1.5 } });
    const all = await indexNames();
    let dropped: Dropped = [];
    const outcome = await rebuildSlot({
      slot: 'B',
      now: NOW,
      signal: new AbortController().signal,
      fence: UNFENCED,
      droppedIndexes: null,
      reindexFrom: 1,
      beforeDrop: async (indexes) => {
        dropped = indexes;
      },
    });
    expect(outcome.isReindexed).toBe(true);
    expect(dropped).toHaveLength(4);
    expect(dropped.every(({ key }) => 'rank.hotB' in key)).toBe(true);
    expect(await indexNames()).toEqual(all);
    await expectScored('B', NOW);
  });

  describe('that looks at what is due and what was marked', () => {
    const signal = new AbortController().signal;
    const noDrop = async (): Promise<void> => {
      throw new Error('nothing is to be dropped');
    };
    const whole = { signal, fence: UNFENCED, droppedIndexes: null, beforeDrop: noDrop, reindexFrom: Infinity };
    let nextMark = NOW.getTime();

    const mark = async (ids: ObjectId[]): Promise<void> => {
      const createdAt = new Date(nextMark++);
      const posts = new Binary(Buffer.concat(ids.map(({ id }) => id)));
      await app.db.collection('score_marks').insertOne({ posts, createdAt });
    };

    it('leaves no post behind that a comparison of all would write, however time passes and votes come', async () => {
      const rows = somePosts(1_500, NOW, 7);
      await posts().insertMany(rows);
      await rebuildSlot({ ...whole, slot: 'B', now: NOW });
      await rebuildSlot({ ...whole, slot: 'A', now: NOW });
      const minute = 60_000;
      const steps = [1, 15, 15, 15, 1, 240, 15, 0, 15, 24 * 60, 15, 15, 60, 5, 15, 7 * 24 * 60, 15, 30, 2, 15].map(
        (minutes) => minutes * minute,
      );
      let now = NOW.getTime();
      let looked = 0;
      for (const [at, step] of steps.entries()) {
        now += step + at;
        const slot = at % 2 === 0 ? 'B' : 'A';
        const changed = rows.filter((_, index) => (index * 7 + at * 13) % 97 === 0).map(({ _id }) => _id);
        const dirtySince = new Date(nextMark);
        await posts().updateMany(
          { _id: { $in: changed } },
          { $inc: { [`stats.${at % 3 === 0 ? 'dislikes' : 'likes'}Count`]: 2 } },
        );
        await mark(changed);
        const { written } = await refreshSlot({
          slot,
          now: new Date(now),
          signal,
          fence: UNFENCED,
          dirtySince,
        });
        expect(written).not.toBeNull();
        looked += written!;
        await expectScored(slot, new Date(now));
      }
      expect(looked).toBeGreaterThan(1_000);
    });

    it('does what is left when it ends in the middle', async () => {
      await posts().insertMany(somePosts(3_500, new Date(NOW.getTime() - 2 * DAY_MS), 3));
      const options = { slot: 'B', now: NOW, signal, fence: UNFENCED, dirtySince: NOW } as const;
      const crash = refreshSlot({
        ...options,
        onProgress: () => {
          throw new Error('crash');
        },
      });
      await expect(crash).rejects.toThrow('crash');
      expect((await wronglyRanked(app.db, 'B', NOW)).length).toBeGreaterThan(100);
      expect((await refreshSlot(options)).written).toBeGreaterThan(100);
      await expectScored('B', NOW);
      // and what it wrote into one slot it writes into the other one
      await refreshSlot({ ...options, slot: 'A' });
      await expectScored('A', NOW);
      expect(await refreshSlot(options)).toEqual({ written: 0 });
    });

    it('leaves it to a comparison of all when too many are due or marked, or the index is missing', async () => {
      const rows = somePosts(5_000, new Date(NOW.getTime() - 300 * DAY_MS), 3);
      await posts().insertMany(rows);
      const options = { slot: 'B', now: NOW, signal, fence: UNFENCED, dirtySince: new Date(nextMark) } as const;
      const then = { ...options, now: new Date(NOW.getTime() - 300 * DAY_MS) };
      expect(await refreshSlot(options)).toEqual({ written: null, why: 'most are due' });
      expect(await refreshSlot(then)).toEqual({ written: 0 });
      await mark(rows.map(({ _id }) => _id));
      expect(await refreshSlot(then)).toEqual({ written: null, why: 'many are dirty' });
      await app.db.collection('score_marks').deleteMany({});
      await posts().dropIndex('isListed_1_rank.due_1');
      try {
        expect(await refreshSlot(then)).toEqual({ written: null, why: 'no index' });
      } finally {
        await posts().createIndex({ isListed: 1, 'rank.due': 1 }, { partialFilterExpression: { isListed: true } });
      }
    });

    it('is what the timetable runs, but for the first run, once a day, and after another formula', async () => {
      await posts().insertMany(somePosts(300, new Date(Date.now() - 900_000)));
      const run = async () => {
        await forgetReaders(app.db);
        const result = (await engagement.run())!;
        await expectScored(result.slot, result.scoredAt);
        return result.isWhole;
      };
      expect([await run(), await run(), await run()]).toEqual([true, false, false]);
      const change = (fields: object) => app.db.collection('score_epochs').updateOne({}, { $set: fields });
      await change({ comparedAllAt: new Date(Date.now() - DAY_MS - 1_000) });
      expect([await run(), await run()]).toEqual([true, false]);
      await change({ formula: -1 });
      expect([await run(), await run()]).toEqual([true, false]);
      // a clock that went back
      await change({ scoredAt: new Date(Date.now() + 3_600_000) });
      expect([await run(), await run()]).toEqual([true, false]);
      // a comparison that was interrupted
      await change({ filling: { startedAt: new Date(), now: new Date(), token: 0, isWhole: true, indexes: null } });
      expect([await run(), await run()]).toEqual([true, false]);
    });
  });

  it('drops the indexes on what time or votes have moved, and keeps the others', async () => {
    const then = new Date(NOW.getTime() - 2 * DAY_MS);
    await posts().insertMany(somePosts(3_000, then));
    let dropped: Dropped = [];
    const options = {
      slot: 'B',
      now: NOW,
      signal: new AbortController().signal,
      fence: UNFENCED,
      reindexFrom: 1,
    } as const;
    const beforeDrop = async (indexes: Dropped) => void (dropped = indexes);
    await rebuildSlot({ ...options, droppedIndexes: null, beforeDrop });
    expect(dropped).toHaveLength(5);
    expect(dropped.every(({ key }) => 'rank.hotB' in key || 'rank.due' in key)).toBe(true);
    await expectScored('B', NOW);
    // but not where votes have moved most of them, too
    await posts().updateMany({}, { $inc: { 'stats.likesCount': 1 } });
    await rebuildSlot({ ...options, slot: 'A', droppedIndexes: null, beforeDrop });
    expect(dropped).toHaveLength(7);
    expect(dropped.filter(({ key }) => 'rank.topA' in key)).toHaveLength(3);
    await expectScored('A', NOW);
  });

  it('does not flip when the lease has passed on', async () => {
    await posts().insertMany(somePosts(3_000, new Date(NOW.getTime() - 9 * DAY_MS)));
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
