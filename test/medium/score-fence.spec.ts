import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Double, ObjectId } from 'mongodb';
import { RankBatches } from '../../src/engagement/rank-batches.js';
import { type RebuildOptions, SlotRebuild } from '../../src/engagement/slot-rebuild.service.js';
import { LeaseLostError, LeaseService } from '../../src/platform/mongo/lease.service.js';
import { PostRanks } from '../../src/posts/ranking/post-ranks.service.js';
import type { RankDiff } from '../../src/posts/ranking/rank-diff.js';
import { startApp, type TestApp } from '../support/app.js';
import { UNFENCED } from '../support/ranks.js';

const NOW = new Date('2026-01-15T12:00:00Z');

/** What a run may still do when another process may hold its lease. */
describe('a score run whose lease has ended', () => {
  let app: TestApp;
  let leases: LeaseService;

  beforeAll(async () => {
    app = await startApp();
    leases = app.app.get(LeaseService);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    await posts().deleteMany({});
    const createdAt = new Date(NOW.getTime() - 86_400_000);
    const stats = { viewsCount: 1, readsCount: 1, likesCount: 1, dislikesCount: 0, sharesCount: 0, commentsCount: 0 };
    const rows = Array.from({ length: 2_000 }, (_, index) => ({
      ...{ _id: new ObjectId(), title: `Post ${index}`, type: 'poem', tags: ['a'], authorId: new ObjectId() },
      ...{ isListed: true, version: 1, stats, rank: { hotB: new Double(-1) }, deletedAt: null },
      ...{ createdAt, contentEditedAt: createdAt, updatedAt: createdAt },
    }));
    await posts().insertMany(rows, { bypassDocumentValidation: true });
  });

  const posts = () => app.db.collection('posts');
  const indexNames = async () => (await posts().listIndexes().toArray()).map(({ name }) => name as string).sort();
  const rebuild = (options: Pick<RebuildOptions, 'fence' | 'beforeDrop'>, signal = new AbortController().signal) =>
    app.app.get(SlotRebuild).rebuildSlot({
      ...{ slot: 'B', now: NOW, signal, droppedIndexes: null, reindexFrom: 1 },
      ...options,
    });

  it('drops no index when it learns that while it notes which', async () => {
    const all = await indexNames();
    const lost = new AbortController();
    const beforeDrop = async () => lost.abort(new LeaseLostError('score'));
    const run = rebuild({ fence: UNFENCED, beforeDrop }, lost.signal);
    await expect(run).rejects.toThrow('The lease score is lost.');
    expect(await indexNames()).toEqual(all);
  });

  it('drops no index when it stood still until the lease was over, and has not noticed', async () => {
    const all = await indexNames();
    const lease = (await leases.acquire('stood-still', 400))!;
    const run = rebuild({ fence: leases.fence(lease, 100), beforeDrop: async () => sleep(450) });
    await expect(run).rejects.toThrow('The lease stood-still is lost.');
    expect(await indexNames()).toEqual(all);
  });

  it('builds without delay what it dropped too late', async () => {
    const all = await indexNames();
    let looks = 0;
    const confirm = async () => {
      if (++looks > 1) throw new LeaseLostError('score');
    };
    const run = rebuild({ fence: { ...UNFENCED, confirm }, beforeDrop: async () => {} });
    await expect(run).rejects.toThrow('The lease score is lost.');
    expect(looks).toBe(2);
    expect(await indexNames()).toEqual(all);
  });

  it('has its batches refused by the server, by the clock of the database', async () => {
    const rows = await posts().find().toArray();
    const diffs: RankDiff[] = rows.map(({ _id }) => ({ _id, changes: { 'rank.hotB': 7 } }));
    const lease = (await leases.acquire('late', 10_000))!;
    const send = async (limitMs: number) => {
      const fence = leases.fence(lease, limitMs);
      const batches = new RankBatches(app.app.get(PostRanks), fence, new AbortController().signal);
      await batches.store(Readable.from(diffs));
    };
    const written = () => posts().countDocuments({ 'rank.hotB': 7 });
    // a batch that may take longer than the lease lasts
    await expect(send(10_100)).rejects.toThrow('the lease is over');
    expect(await written()).toBe(0);
    await leases.renew(lease, 60_000);
    await send(10_100);
    expect(await written()).toBe(2_000);
  });
});
