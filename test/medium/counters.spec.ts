import { ObjectId } from 'mongodb';
import { seedDatabase } from '../../seeds/seed-database.js';
import { AuditService } from '../../src/audit/audit.service.js';
import type { Difference } from '../../src/audit/recount.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { ensureIndexes } from '../../src/platform/mongo/indexes/indexes.js';
import { startApp, type TestApp } from '../support/app.js';

describe('counters compared with the rows behind them', () => {
  let app: TestApp;
  let counters: AuditService;

  beforeAll(async () => {
    app = await startApp();
    counters = app.app.get(AuditService);
    const mongo = app.app.get(MongoService);
    await seedDatabase({
      db: app.db,
      request: { profile: 'tiny', seed: 3, now: new Date() },
      ensureIndexes: () => ensureIndexes(mongo.connection),
      confirmDrop: async () => true,
    });
  });
  afterAll(() => app.close());

  async function audit(isRepair = false): Promise<Difference[]> {
    const found: Difference[] = [];
    const { differences, holders } = await counters.audit((difference) => found.push(difference), { isRepair });
    expect(differences).toBe(found.length);
    expect(holders).toBeGreaterThan(500);
    return found;
  }

  const someId = async (collection: string, filter: object) =>
    (await app.db.collection(collection).findOne(filter))!._id;

  it('finds nothing in a seeded database', async () => {
    expect(await audit()).toEqual([]);
  });

  it('finds every kind of wrong counter, and repairs exactly those', async () => {
    const wrong: [collection: string, path: string, counter: string][] = [
      ['posts', 'stats.likesCount', 'likes'],
      ['posts', 'stats.dislikesCount', 'dislikes'],
      ['posts', 'stats.commentsCount', 'comments'],
      ['posts', 'stats.viewsCount', 'views'],
      ['posts', 'stats.readsCount', 'reads'],
      ['posts', 'stats.sharesCount', 'shares'],
      ['posts', 'visitors.reads', 'visitorReads'],
      ['posts', 'visitors.shares', 'visitorShares'],
      ['posts', 'visitors.likes', 'visitorLikes'],
      ['posts', 'visitors.dislikes', 'visitorDislikes'],
      ['comments', 'stats.likesCount', 'likes'],
      ['comments', 'stats.dislikesCount', 'dislikes'],
      ['comments', 'stats.repliesCount', 'replies'],
      ['users', 'stats.followersCount', 'followers'],
      ['users', 'stats.followingCount', 'following'],
      ['users', 'stats.postsCount', 'posts'],
      ['users', 'likesPerPost', 'likesPerPost'],
      ['users', 'likesTier', 'likesTier'],
    ];
    const expected: string[] = [];
    for (const [collection, path, counter] of wrong) {
      const filter = { deletedAt: null, ...(collection === 'posts' && { isListed: false }) };
      const fallback = { deletedAt: null };
      const target = (await app.db.collection(collection).findOne(filter)) ?? {
        _id: await someId(collection, fallback),
      };
      await app.db.collection(collection).updateOne({ _id: target._id }, { $inc: { [path]: 3 } });
      expected.push(`${collection} ${target._id.toHexString()} ${counter}`);
    }
    const names = (found: Difference[]) => found.map(({ collection, id, counter }) => `${collection} ${id} ${counter}`);
    expect(names(await audit()).sort()).toEqual([...expected].sort());
    expect(names(await audit(true)).sort()).toEqual([...expected].sort());
    expect(await audit()).toEqual([]);
  });

  it('finds a row that was not counted: a like changes the post and its author', async () => {
    const post = (await app.db.collection('posts').findOne({ isListed: true }))!;
    const like = (await app.db.collection('interactions').findOne({ kind: 'vote' }))!;
    const { _id, ...rest } = like;
    await app.db.collection('interactions').insertOne({
      ...rest,
      _id: Buffer.concat([new ObjectId().id, Buffer.from([1]), post._id.id]) as never,
      targetModel: 'Post',
      targetId: post._id,
      value: 'like',
    });
    const found = await audit(true);
    const likes = post.stats.likesCount as number;
    expect(found[0]).toEqual({
      collection: 'posts',
      id: post._id.toHexString(),
      counter: 'likes',
      stored: likes,
      counted: likes + 1,
    });
    // The other likes of the author decide whether one like is enough for the next tier.
    expect(found.filter(({ collection, counter }) => collection === 'users' && counter !== 'likesTier')).toEqual([
      expect.objectContaining({ id: post.authorId.toHexString(), counter: 'likesReceived' }),
      expect.objectContaining({ id: post.authorId.toHexString(), counter: 'likesPerPost' }),
    ]);
    expect(await audit()).toEqual([]);
  });

  it('reports nothing and repairs nothing wrong during concurrent writes', async () => {
    const mongo = app.app.get(MongoService);
    const posts = await app.db.collection('posts').find({ isListed: true }).limit(5).toArray();
    let isOver = false;
    let events = 0;
    const write = async (worker: number) => {
      while (!isOver) {
        const post = posts[(events + worker) % posts.length]!;
        await mongo.transaction(async (tx) => {
          const day = '2020-01-01';
          await app.db
            .collection('post_event_days')
            .updateOne(
              { _id: `${post._id.toHexString()}:${day}` as never },
              { $inc: { views: 1, reads: 0, shares: 0 }, $setOnInsert: { postId: post._id, day } },
              { upsert: true, session: tx.session },
            );
          await app.db
            .collection('posts')
            .updateOne({ _id: post._id }, { $inc: { 'stats.viewsCount': 1 } }, { session: tx.session });
        });
        events++;
      }
    };
    // One counter is really wrong, on a row that is written continuously.
    await app.db.collection('posts').updateOne({ _id: posts[0]!._id }, { $inc: { 'stats.viewsCount': 100 } });
    const writers = [write(0), write(1), write(2)];
    const found = await audit(true);
    for (let round = 0; round < 4; round++) expect(await audit()).toEqual([]);
    isOver = true;
    await Promise.all(writers);
    expect(found).toEqual([expect.objectContaining({ id: posts[0]!._id.toHexString(), counter: 'views' })]);
    expect(found[0]!.stored! - found[0]!.counted).toBe(100);
    expect(events).toBeGreaterThan(20);
    expect(await audit()).toEqual([]);
  });
});
