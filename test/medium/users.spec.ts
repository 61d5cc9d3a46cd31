import { ObjectId } from 'mongodb';
import { MAX_FEATURED, type User, USERS, type UserStats } from '../../src/users/user.schema.js';
import { UserAccountsService } from '../../src/users/user-accounts.service.js';
import { UsersService } from '../../src/users/users.service.js';
import { isDuplicateKey } from '../../src/platform/mongo/duplicate-key.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { useApp } from '../support/app.js';
import { triedAgain } from '../support/repeated-requests.js';
import { plansOf } from '../support/plans.js';

describe('UsersService', () => {
  const running = useApp();
  let users: UsersService;
  let accounts: UserAccountsService;
  let mongo: MongoService;

  beforeAll(() => {
    users = running.app.get(UsersService);
    accounts = running.app.get(UserAccountsService);
    mongo = running.app.get(MongoService);
  });

  const create = (username: string): Promise<User> =>
    triedAgain(() =>
      mongo.transaction((tx) => accounts.create({ _id: new ObjectId(), username, fullName: username }, tx)),
    );
  const rows = () => running.db.collection<User>('users');

  it('finds an account by its current and by an earlier name, in any case, but no deleted one', async () => {
    const { _id } = await create('present');
    await rows().updateOne({ _id }, { $set: { previousUsernames: ['earlier'] } });
    expect((await users.getByUsername('PresenT'))._id).toEqual(_id);
    expect((await users.getByUsername('earlier')).username).toBe('present');
    expect(await users.findByUsername('nobody_x')).toBeNull();
    await rows().updateOne({ _id }, { $set: { deletedAt: new Date() } });
    expect(await users.findByUsername('present')).toBeNull();
    expect(await users.findByUsername('earlier')).toBeNull();
    await expect(users.getSnapshot(_id)).rejects.toMatchObject({ code: 'user_not_found' });
  });

  it('gives each username once, also to concurrent requests and after its account was deleted', async () => {
    const { _id } = await create('holder');
    await rows().updateOne({ _id }, { $set: { previousUsernames: ['held_once'] } });
    await expect(create('held_once')).rejects.toMatchObject({ code: 'username_taken' });
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => create('contested')));
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'username_taken' });
  });

  it('returns the existing accounts among the ids, in the order of the ids', async () => {
    const [a, b, c] = [await create('order_a'), await create('order_b'), await create('order_c')];
    await rows().updateOne({ _id: b._id }, { $set: { deletedAt: new Date() } });
    const found = await users.findUsers([c._id, new ObjectId(), b._id, a._id]);
    expect(found.map((row) => row.username)).toEqual(['order_c', 'order_a']);
  });

  it('moves counters and likes per post together, exactly, under concurrency', async () => {
    const { _id } = await create('counted');
    const { _id: other } = await create('counted_2');
    const hex = _id.toHexString();
    const applied = await running.db.createCollection<{ _id: number }>('applied_changes');
    const changes = Array.from({ length: 60 }, (_, index) => ({
      followersCount: index % 3,
      postsCount: index % 2,
      likesReceivedCount: index % 5,
    }));
    await Promise.all(
      changes.map((change, _id) =>
        // These transactions do not queue, and some may conflict for ten seconds.
        triedAgain(() =>
          mongo
            .transaction(async (tx) => {
              await applied.insertOne({ _id }, { session: tx.session });
              await users.applyStats(
                new Map<string, Partial<UserStats>>([
                  [hex, change],
                  [other.toHexString(), { followingCount: 1, postsCount: 0 }],
                ]),
                tx,
              );
            })
            // An earlier attempt has committed, but its response was late.
            .catch((error: unknown) => {
              if (!isDuplicateKey(error)) throw error;
            }),
        ),
      ),
    );
    const sum = (key: keyof (typeof changes)[number]): number => changes.reduce((total, c) => total + c[key], 0);
    const row = (await users.findById(_id))!;
    expect(row.stats).toEqual({
      followersCount: sum('followersCount'),
      followingCount: 0,
      postsCount: sum('postsCount'),
      likesReceivedCount: sum('likesReceivedCount'),
    });
    expect(row.likesPerPost).toBe(sum('likesReceivedCount') / sum('postsCount'));
    expect(row.updatedAt).toEqual(row.createdAt);
    expect((await users.findById(other))!.stats.followingCount).toBe(60);
    await mongo.transaction((tx) => users.applyStats(new Map([[hex, { postsCount: -sum('postsCount') }]]), tx));
    expect((await users.findById(_id))!.likesPerPost).toBe(0);
  });

  it('refuses a counter below zero with the whole transaction', async () => {
    const { _id } = await create('negative');
    const change = new Map([[_id.toHexString(), { followersCount: 1, postsCount: -1 }]]);
    await expect(mongo.transaction((tx) => users.applyStats(change, tx))).rejects.toThrow(/validation/);
    expect((await users.findById(_id))!.stats.followersCount).toBe(0);
  });

  it('shows at most eight posts on a profile, each once, also for concurrent additions', async () => {
    const { _id } = await create('featuring');
    const posts = Array.from({ length: MAX_FEATURED + 2 }, () => new ObjectId());
    const outcomes = await Promise.allSettled(posts.map((post) => triedAgain(() => users.addFeatured(_id, post))));
    expect(outcomes.filter((outcome) => outcome.status === 'rejected')).toHaveLength(2);
    const ids = await users.featuredIds(_id);
    expect(ids).toHaveLength(MAX_FEATURED);
    // Adding the same post again changes nothing, also on a full profile.
    expect(await users.addFeatured(_id, ids[0]!)).toEqual(ids);
    await expect(users.addFeatured(_id, new ObjectId())).rejects.toMatchObject({ code: 'too_many_featured' });
    expect(await users.removeFeatured(_id, ids[0]!)).toEqual(ids.slice(1));
    expect(await users.removeFeatured(_id, ids[0]!)).toEqual(ids.slice(1));
  });

  it('finds a name by one index range of one row, the current one first, then the earlier ones', async () => {
    const { _id } = await create('planned');
    await rows().updateOne({ _id }, { $set: { previousUsernames: ['was_planned'] } });
    const [byPresent, ...none] = await plansOf(running, () => users.getByUsername('planned'));
    expect(byPresent).toMatchObject({ plan: 'IXSCAN {"username":1}', docsExamined: 1, nReturned: 1 });
    expect(none).toEqual([]);
    const [missed, byEarlier] = await plansOf(running, () => users.getByUsername('was_planned'));
    expect(missed).toMatchObject({ plan: 'IXSCAN {"username":1}', docsExamined: 0 });
    expect(byEarlier).toMatchObject({ plan: 'IXSCAN {"previousUsernames":1}', docsExamined: 1, nReturned: 1 });
  });

  it('finds recently deleted accounts by an index of deleted accounts only', async () => {
    await mongo.collection(USERS).updateMany({ deletedAt: { $ne: null } }, { $set: { deletedAt: new Date(0) } });
    const { _id } = await create('ending');
    await mongo.transaction((tx) => accounts.end(_id, tx));
    const [plan] = await plansOf(running, () => accounts.endedWithin(60_000));
    expect(plan).toMatchObject({ plan: 'IXSCAN {"deletedAt":1}', docsExamined: 1, nReturned: 1 });
  });
});
