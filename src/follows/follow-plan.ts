import { type Binary, ObjectId } from 'mongodb';
import { pairId } from '../common/binary-ids.js';
import { CodedError } from '../common/errors.js';
import type { FollowRow } from './follow.schema.js';

/** What one caller wants to hold: following this user, or not. */
export type FollowItem = { followerId: ObjectId; followingId: ObjectId; isFollowing: boolean };

/** As it is right after this caller's change, in the batch's serial order. */
export type FollowResult = { username: string; isFollowing: boolean; followersCount: number };

/** The world before the batch, by hex id; users that are missing or have ended are absent. */
export type FollowWorld = {
  rows: Set<string>;
  users: Map<string, { username: string; stats: { followersCount: number } }>;
};

export type FollowStats = { followersCount: number; followingCount: number };

/** The net effect of a batch: each row written at most once, each user's counters moved at most once. */
export type FollowPlan = {
  results: (FollowResult | Error)[];
  inserts: FollowRow[];
  deletes: Binary[];
  userStats: Map<string, FollowStats>;
};

/** Folds the items, in order, into their net effect. Pure. */
export function planFollows(items: FollowItem[], world: FollowWorld, now: Date): FollowPlan {
  const slots = new Map<string, { item: FollowItem; _id: Binary; before: boolean; after: boolean }>();
  const followers = new Map<string, number>();

  const results = items.map((item): FollowResult | Error => {
    const followingKey = item.followingId.toHexString();
    const user = world.users.get(followingKey);
    if (user === undefined) return new CodedError('user_not_found', 'There is no user with this name.');
    if (!world.users.has(item.followerId.toHexString())) {
      return new CodedError('invalid_token', 'The account behind this access token has ended.');
    }
    const _id = pairId(item.followerId, item.followingId);
    const key = _id.toString('hex');
    let slot = slots.get(key);
    if (slot === undefined) {
      const before = world.rows.has(key);
      slots.set(key, (slot = { item, _id, before, after: before }));
    }
    let followersCount = followers.get(followingKey) ?? user.stats.followersCount;
    followersCount += Number(item.isFollowing) - Number(slot.after);
    followers.set(followingKey, followersCount);
    slot.after = item.isFollowing;
    return { username: user.username, isFollowing: item.isFollowing, followersCount };
  });

  const plan: FollowPlan = { results, inserts: [], deletes: [], userStats: new Map() };
  for (const { item, _id, before, after } of slots.values()) {
    if (before === after) continue;
    const { followerId, followingId } = item;
    if (after) plan.inserts.push({ _id, followerId, followingId, seq: new ObjectId(), since: now });
    else plan.deletes.push(_id);
    const delta = after ? 1 : -1;
    move(plan.userStats, followerId.toHexString(), 'followingCount', delta);
    move(plan.userStats, followingId.toHexString(), 'followersCount', delta);
  }
  for (const [key, stats] of plan.userStats) {
    if (stats.followersCount === 0 && stats.followingCount === 0) plan.userStats.delete(key);
  }
  return plan;
}

function move(all: Map<string, FollowStats>, key: string, field: keyof FollowStats, delta: number): void {
  let stats = all.get(key);
  if (stats === undefined) all.set(key, (stats = { followersCount: 0, followingCount: 0 }));
  stats[field] += delta;
}
