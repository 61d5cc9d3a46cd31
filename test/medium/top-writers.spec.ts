import { ObjectId } from 'mongodb';
import { likesTier } from '../../src/users/user-stats.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { newUserRow, type User } from '../../src/users/user.schema.js';
import { UsersService } from '../../src/users/users.service.js';
import { useApp } from '../support/app.js';
import { plansOf } from '../support/plans.js';

const BY_TIER = 'IXSCAN {"likesTier":-1,"_id":-1}';
const PUBLISHED = { deletedAt: null, 'stats.postsCount': { $gt: 0 } };

type Likes = { posts: number; likes: number };
const many = (count: number, one: (index: number) => Likes): Likes[] => Array.from({ length: count }, (_, i) => one(i));
const unliked = (count: number): Likes[] => many(count, () => ({ posts: 2, likes: 0 }));

const COMMUNITIES: Record<string, Likes[]> = {
  'of all sorts': many(300, (i) => ({ posts: i % 7, likes: i % 7 === 0 ? 0 : (i * 37) % 101 })),
  'where nobody was liked yet': unliked(400),
  'where three of many were liked': [...unliked(400), ...many(3, (i) => ({ posts: 3, likes: i + 1 })), ...unliked(400)],
  'of many equals who were liked': [
    ...many(300, () => ({ posts: 1, likes: 3 })),
    ...many(3, () => ({ posts: 1, likes: 9 })),
  ],
  'of ties across the bounds of tiers': many(300, (i) => ({ posts: 1 + (i % 3), likes: (i % 6) * (1 + (i % 3)) })),
  'of fewer than are asked for': many(4, (i) => ({ posts: 1, likes: i % 2 })),
  'of none who published': many(20, () => ({ posts: 0, likes: 0 })),
};

describe('top writers', () => {
  const running = useApp();
  let users: UsersService;
  const rows = () => running.db.collection<User>('users');

  beforeAll(() => {
    users = running.app.get(UsersService);
  });

  /** Inserts accounts with these likes, in order of registration; every tenth account is deleted. */
  async function fill(likes: Likes[]): Promise<void> {
    await rows().deleteMany({});
    const now = new Date();
    const people = likes.map(({ posts, likes: likesReceivedCount }, index): User => {
      const row = newUserRow({ _id: new ObjectId(), username: `writer_${index}`, fullName: `Writer ${index}` }, now);
      const likesPerPost = posts === 0 ? 0 : likesReceivedCount / posts;
      const stats = { ...row.stats, postsCount: posts, likesReceivedCount };
      return { ...row, stats, likesPerPost, likesTier: likesTier(likesPerPost), deletedAt: index % 10 ? null : now };
    });
    await rows().insertMany(people);
  }

  const aggregated = (limit: number) =>
    rows()
      .aggregate<{ username: string }>([
        { $match: PUBLISHED },
        { $set: { quotient: { $divide: ['$stats.likesReceivedCount', '$stats.postsCount'] } } },
        { $sort: { quotient: -1, _id: -1 } },
        { $limit: limit },
      ])
      .map(({ username }) => username)
      .toArray();
  const names = async (limit: number) => (await users.top(limit)).map(({ username }) => username);

  describe.each(Object.entries(COMMUNITIES))('of a community %s', (_, likes) => {
    beforeAll(() => fill(likes));

    it.each([1, 2, 5, 100, 1_000])('equal the full aggregation: the first %d', async (limit) => {
      expect(await names(limit)).toEqual(await aggregated(limit));
    });

    it.each([1, 5, 100])('examine at most the keys of the tiers of the first %d, none without likes', async (limit) => {
      const plans = await plansOf(running, () => users.top(limit));
      const last = (await users.top(limit)).at(-1);
      const inTiers = last ? await rows().countDocuments({ ...PUBLISHED, likesTier: { $gte: last.likesTier } }) : 0;
      const [highest, ...sorted] = plans;
      expect(highest!.plan).toBe(BY_TIER);
      expect(highest!.keysExamined).toBeLessThanOrEqual(limit);
      if (!last?.likesTier || inTiers < limit) return expect(sorted).toEqual([]);
      expect(sorted).toHaveLength(1);
      expect(sorted[0]).toMatchObject({ plan: `SORT ${BY_TIER}`, docsExamined: inTiers });
      expect(sorted[0]!.keysExamined).toBeLessThanOrEqual(inTiers + 1);
    });
  });

  it('equal a full sort also after votes moved writers between tiers, and every tier matches its quotient', async () => {
    await fill(COMMUNITIES['of all sorts']!);
    const mongo = running.app.get(MongoService);
    const all = await rows().find(PUBLISHED).toArray();
    for (const likes of [1, 7, 400]) {
      const changes = all.map(({ _id }, index) => [_id.toHexString(), { likesReceivedCount: (index * likes) % 997 }]);
      await mongo.transaction((tx) => users.applyStats(new Map(changes as never), tx));
      expect(await names(20)).toEqual(await aggregated(20));
    }
    for await (const row of rows().find()) expect(row.likesTier).toBe(likesTier(row.likesPerPost));
  });
});
