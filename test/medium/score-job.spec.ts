import { Double, Long, ObjectId } from 'mongodb';
import { EngagementService } from '../../src/engagement/engagement.service.js';
import { MovedPosts, SCORED_FIELDS } from '../../src/engagement/moved-posts.js';
import { rankOf } from '../../src/engagement/score.js';
import { fillSlot } from '../../src/engagement/score-run.js';
import { scanRaw } from '../../src/platform/mongo/raw-scan.js';
import { startApp, type TestApp } from '../support/app.js';

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
    const { hot, top, win } = rankOf(stats, createdAt, contentEditedAt, at, _id);
    return {
      _id,
      title: `Post ${index}`,
      type: 'article',
      tags: ['a', 'b'],
      authorId: new ObjectId(),
      isListed: true,
      version: 1,
      stats,
      rank: { hotA: hot, hotB: hot, topA: top, topB: top, winA: win, winB: win },
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
  });

  const posts = () => app.db.collection('posts');
  const epoch = () => app.db.collection('score_epochs').findOne({});

  /** every listed post holds in `slot` what the formula gives for `now` */
  async function expectScored(slot: 'A' | 'B', now: Date) {
    let wrong = 0;
    for await (const post of posts().find({ isListed: true })) {
      const { hot, top, win } = rankOf(post.stats, post.createdAt, post.contentEditedAt, now, post._id);
      if (post.rank[`hot${slot}`] !== hot || post.rank[`top${slot}`] !== top || post.rank[`win${slot}`] !== win)
        wrong++;
    }
    expect(wrong).toBe(0);
  }

  it('finds in BSON exactly the posts the formula would write, with what it would write', async () => {
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
      // and more layouts among each other than a scan remembers: fields in another order, a score that is a whole number
      await posts().updateMany({ 'stats.likesCount': 11 }, { $rename: { createdAt: 'publishedAt' } });
      await posts().updateMany({ 'stats.likesCount': 11 }, { $rename: { publishedAt: 'createdAt' } });
      await posts().updateMany({ 'stats.likesCount': 12 }, { $set: { 'rank.hotB': 3 } });
      await posts().updateMany({ 'stats.likesCount': 13 }, { $set: { 'rank.winB': new Double(1) } });
      const moved = new MovedPosts('B', NOW);
      const found = new Map<string, Record<string, number>>();
      let batches = 0;
      for await (const batch of scanRaw(app.db, 'posts', {
        filter: { isListed: true },
        projection: SCORED_FIELDS,
        hint: { $natural: 1 },
        batchSize: 700,
      })) {
        batches++;
        for (const { _id, changes } of moved.in(batch)) found.set(_id.toHexString(), changes);
      }
      expect(batches).toBe(5);
      let expected = 0;
      for await (const row of posts().find()) {
        const { hot, top, win } = rankOf(row.stats, row.createdAt, row.contentEditedAt, NOW, row._id);
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

  it('leaves no cursor behind when a scan is given up', async () => {
    await posts().insertMany(somePosts(2_000, NOW));
    const scan = { filter: {}, projection: { _id: 1 }, hint: { $natural: 1 }, batchSize: 100 };
    for await (const batch of scanRaw(app.db, 'posts', scan)) if (batch.offsets.length > 0) break;
    const namespace = `${app.db.databaseName}.posts`;
    const operations = [{ $currentOp: { idleCursors: true } }, { $match: { type: 'idleCursor', ns: namespace } }];
    const idle = await app.db.client.db('admin').aggregate(operations).toArray();
    expect(idle).toEqual([]);
  });

  it('fills the slot nobody reads, leaves the other and `updatedAt` alone, and flips', async () => {
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

  it('leaves hidden and deleted posts alone', async () => {
    const [row] = somePosts(1, new Date(NOW.getTime() - 30 * DAY_MS));
    await posts().insertOne({ ...row!, isListed: false });
    expect((await engagement.run({ now: NOW }))!.written).toBe(0);
  });

  it('never runs twice at once', async () => {
    await posts().insertMany(somePosts(2_000, new Date(NOW.getTime() - 9 * DAY_MS)));
    const other = await startApp({ MONGODB_DATABASE: app.db.databaseName });
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

  it('goes on with the same moment after an interruption, and readers see nothing of the unfinished slot', async () => {
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
  type Dropped = Parameters<Parameters<typeof fillSlot>[1]['beforeDrop']>[0];

  it('drops and rebuilds the indexes of the slot when nearly all has moved, also after a crash in between', async () => {
    await posts().insertMany(somePosts(3_000, new Date(NOW.getTime() - 40 * DAY_MS)));
    await posts().updateMany({}, { $unset: { rank: '' } });
    const all = await indexNames();
    const signal = new AbortController().signal;
    let dropped: Dropped = [];
    const crash = fillSlot(app.db, {
      slot: 'B',
      now: NOW,
      signal,
      droppedIndexes: null,
      rebuildFrom: 1,
      beforeDrop: async (indexes) => {
        dropped = indexes;
      },
      onProgress: () => {
        throw new Error('crash');
      },
    });
    await expect(crash).rejects.toThrow('crash');
    expect(dropped).toHaveLength(7);
    expect(await indexNames()).toEqual(all.filter((name) => !dropped.some((index) => index.name === name)));
    const outcome = await fillSlot(app.db, {
      slot: 'B',
      now: NOW,
      signal,
      droppedIndexes: dropped,
      beforeDrop: async () => {
        throw new Error('nothing is left to drop');
      },
    });
    expect(outcome.isRebuilt).toBe(true);
    expect(await indexNames()).toEqual(all);
    await expectScored('B', NOW);
  });

  it('leaves indexes alone whose fields stay: time moves `hot`, not `top`', async () => {
    const then = new Date(NOW.getTime() - 900_000);
    await posts().insertMany(somePosts(3_000, then));
    await posts().updateMany({}, { $mul: { 'rank.hotB': 1.5 } });
    const all = await indexNames();
    let dropped: Dropped = [];
    const outcome = await fillSlot(app.db, {
      slot: 'B',
      now: NOW,
      signal: new AbortController().signal,
      droppedIndexes: null,
      rebuildFrom: 1,
      beforeDrop: async (indexes) => {
        dropped = indexes;
      },
    });
    expect(outcome.isRebuilt).toBe(true);
    expect(dropped).toHaveLength(4);
    expect(dropped.every(({ key }) => 'rank.hotB' in key)).toBe(true);
    expect(await indexNames()).toEqual(all);
    await expectScored('B', NOW);
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
