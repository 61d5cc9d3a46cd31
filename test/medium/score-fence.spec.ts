import { setTimeout as sleep } from 'node:timers/promises';
import { Double, ObjectId } from 'mongodb';
import type { MovedPost } from '../../src/posts/ranking/rank-diff.js';
import { RankWrites, type RunFence } from '../../src/engagement/rank-batches.js';
import { fillSlot } from '../../src/engagement/rebuild-slot.js';
import { fenceOf, type Lease, LeaseLostError, LeaseService } from '../../src/platform/mongo/lease.service.js';
import { startApp, type TestApp } from '../support/app.js';
import { UNFENCED } from '../support/ranks.js';

const NOW = new Date('2026-01-15T12:00:00Z');

/** What a run may still do when another process may hold its lease. */
describe('a score run whose lease is over', () => {
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
  const fenced = (lease: Lease, limitMs: number): RunFence => ({
    fields: () => fenceOf(lease, limitMs),
    confirm: () => leases.requireHeld(lease, limitMs),
  });

  it('drops no index when it learns that while it notes which', async () => {
    const all = await indexNames();
    const lost = new AbortController();
    const run = fillSlot(app.db, {
      ...{ slot: 'B', now: NOW, signal: lost.signal, fence: UNFENCED, droppedIndexes: null, rebuildFrom: 1 },
      beforeDrop: async () => lost.abort(new LeaseLostError('score')),
    });
    await expect(run).rejects.toThrow('The lease score is lost.');
    expect(await indexNames()).toEqual(all);
  });

  it('drops no index when it stood still until the lease was over, and has not noticed', async () => {
    const all = await indexNames();
    const lease = (await leases.acquire('stood-still', 400))!;
    const run = fillSlot(app.db, {
      ...{ slot: 'B', now: NOW, signal: new AbortController().signal, fence: fenced(lease, 100) },
      ...{ droppedIndexes: null, rebuildFrom: 1, beforeDrop: async () => sleep(450) },
    });
    await expect(run).rejects.toThrow('The lease stood-still is lost.');
    expect(await indexNames()).toEqual(all);
  });

  it('builds at once what it dropped too late', async () => {
    const all = await indexNames();
    let looks = 0;
    const confirm = async () => {
      if (++looks > 1) throw new LeaseLostError('score');
    };
    const run = fillSlot(app.db, {
      ...{ slot: 'B', now: NOW, signal: new AbortController().signal, fence: { ...UNFENCED, confirm } },
      ...{ droppedIndexes: null, rebuildFrom: 1, beforeDrop: async () => {} },
    });
    await expect(run).rejects.toThrow('The lease score is lost.');
    expect(looks).toBe(2);
    expect(await indexNames()).toEqual(all);
  });

  it('has its batches refused by the server, by the clock of the database', async () => {
    const rows = await posts().find().toArray();
    const batch: MovedPost[] = rows.map(({ _id }) => ({ _id, changes: { 'rank.hotB': 7 } }));
    const lease = (await leases.acquire('late', 10_000))!;
    const send = async (limitMs: number) => {
      const writes = new RankWrites(app.db, new AbortController().signal, fenced(lease, limitMs));
      await writes.add(batch);
      await writes.flush();
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
