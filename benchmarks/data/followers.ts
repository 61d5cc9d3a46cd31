import { type Db, ObjectId } from 'mongodb';
import type { CursorPosition } from '../../src/common/cursor.js';
import { pairId } from '../../src/common/pair-id.js';
import { LATEST, positionOf } from '../../src/posts/publication-order.js';
import { newUserRow, type User } from '../../src/users/user.schema.js';
import { TIMELINES, type Timeline } from '../../src/feed/timelines/timeline.schema.js';
import type { Follow } from '../../src/follows/follow.schema.js';

/** An account made for the benchmark, and the posts of its following feed, newest first. */
export type Follower = { id: string; follows: number; posts: CursorPosition[] };

const NAME_PREFIX = 'bench_follows_';
/** Excludes these accounts where a benchmark chooses ordinary readers and writers. */
export const IS_NO_FOLLOWER = { username: { $not: new RegExp(`^${NAME_PREFIX}`) } };

/**
 * Creates accounts that follow the given numbers of writers, spread evenly over all who have published, or all of them if there are
 * fewer. Rows and counters equal the product's, and stay in the dataset for later runs.
 */
export async function ensureFollowers(db: Db, counts: readonly number[]): Promise<Follower[]> {
  const users = db.collection<User>('users');
  const published = await users
    .find({ 'stats.postsCount': { $gt: 0 }, deletedAt: null }, { projection: { _id: 1 }, sort: { _id: 1 } })
    .map(({ _id }) => _id)
    .toArray();
  const followers: Follower[] = [];
  for (const follows of new Set(counts.map((count) => Math.min(count, published.length)))) {
    const username = NAME_PREFIX + String(follows);
    const held = await users.findOne({ username }, { projection: { _id: 1 } });
    const id = held?._id ?? (await makeFollower(db, username, spread(published, follows)));
    followers.push({ id: id.toHexString(), follows, posts: await feedOf(db, id) });
  }
  return followers;
}

/**
 * Creates accounts followed by the same readers, who have home timelines, with their rows and counters, on first use.
 * @returns the ids of the followed accounts
 */
export async function ensureAuthors(db: Db, count: number, followers: number): Promise<string[]> {
  const users = db.collection<User>('users');
  const timelines = db.collection<Timeline>(TIMELINES);
  const prefix = `${NAME_PREFIX}by_${followers}_`;
  const seenAt = new Date();
  const named = (kind: string) => users.find({ username: new RegExp(`^${prefix}${kind}`) }, { projection: { _id: 1 } });
  const held = await named('author').toArray();
  if (held.length > 0) {
    const readers = await named('reader').toArray();
    // Timelines of readers who are inactive for a month get no new posts.
    await timelines.updateMany({ _id: { $in: readers.map(({ _id }) => _id) } }, { $set: { seenAt } });
    return held.map(({ _id }) => _id.toHexString());
  }
  const authors = Array.from({ length: count }, (_, at) => userRow(`${prefix}author_${at}`, 0, seenAt));
  const readers = Array.from({ length: followers }, (_, at) => userRow(`${prefix}reader_${at}`, count, seenAt));
  for (const { stats } of authors) stats.followersCount = followers;
  const rows = authors.flatMap((author) => readers.map(({ _id }) => followRow(_id, author._id, seenAt)));
  const homes = readers.map(({ _id }): Timeline => {
    return { _id, home: new ObjectId(), isFilled: true, floor: null, merged: [], seenAt };
  });
  await db.client.withSession((session) =>
    session.withTransaction(async () => {
      await users.insertMany([...authors, ...readers], { session });
      if (followers === 0) return;
      await db.collection<Follow>('follows').insertMany(rows, { session });
      await timelines.insertMany(homes, { session });
    }),
  );
  return authors.map(({ _id }) => _id.toHexString());
}

function followRow(followerId: ObjectId, followingId: ObjectId, since: Date): Follow {
  return { _id: pairId(followerId, followingId), followerId, followingId, seq: new ObjectId(), since };
}

function spread(all: ObjectId[], count: number): ObjectId[] {
  return Array.from({ length: count }, (_, index) => all[Math.floor((index * all.length) / count)]!);
}

/** Writes the account last, so that an existing account is complete. */
async function makeFollower(db: Db, username: string, followed: ObjectId[]): Promise<ObjectId> {
  const since = new Date();
  const user = userRow(username, followed.length, since);
  const rows = followed.map((followingId) => followRow(user._id, followingId, since));
  await db.client.withSession((session) =>
    session.withTransaction(async () => {
      await db.collection<Follow>('follows').insertMany(rows, { session });
      const increment = { $inc: { 'stats.followersCount': 1 } };
      await db.collection('users').updateMany({ _id: { $in: followed } }, increment, { session });
      await db.collection<User>('users').insertOne(user, { session });
    }),
  );
  return user._id;
}

function userRow(username: string, followingCount: number, now: Date): User {
  const row = newUserRow({ _id: new ObjectId(), username, fullName: 'Made for the benchmark' }, now);
  return { ...row, stats: { ...row.stats, followingCount } };
}

/** Computes the expected feed from the rows, without the queries of the product. */
async function feedOf(db: Db, followerId: ObjectId): Promise<CursorPosition[]> {
  const followed = await db
    .collection<Follow>('follows')
    .find({ followerId }, { projection: { followingId: 1 } })
    .map(({ followingId }) => followingId)
    .toArray();
  return db
    .collection<{ _id: ObjectId; createdAt: Date }>('posts')
    .find({ authorId: { $in: followed }, isListed: true } as object, { projection: { createdAt: 1 }, sort: LATEST })
    .map(positionOf)
    .toArray();
}
