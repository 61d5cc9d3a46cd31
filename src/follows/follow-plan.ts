import { type Binary, ObjectId } from 'mongodb';
import { blocked, type BlockedPairs } from '../blocks/blocked-pairs.js';
import { pairId } from '../common/pair-id.js';
import { CodedError } from '../common/errors.js';
import type { Follow } from './follow.schema.js';

/** Limits the cost of the following feed, which seeks once per followed account. No reader follows that many. */
export const MAX_FOLLOWING = 5_000;

/** The state that a caller requests: following this account, or not. The followed account may also request the end of a follow. */
export type FollowItem = {
  followerId: ObjectId;
  followingId: ObjectId;
  isFollowing: boolean;
  isByFollowed?: boolean | undefined;
  /** inverts the state; `isFollowing` is ignored */
  isToggle?: boolean | undefined;
};

/** The state right after this change: the name of the other account, and the number of followers of the followed account. */
export type FollowResult = { username: string; isFollowing: boolean; followersCount: number };

/** Current rows, by hex id; missing and deleted users are absent. */
export type CurrentState = {
  rows: Set<string>;
  users: Map<string, { username: string; stats: FollowStats }>;
  blocked: BlockedPairs;
};

export type FollowStats = { followersCount: number; followingCount: number };

/** A written or deleted row, and the number of the follower's follows before the batch. */
export type FollowChange = {
  followerId: ObjectId;
  followingId: ObjectId;
  isFollowing: boolean;
  followingCount: number;
};

/** The net effect of a batch: each row written at most once, each user's counters moved at most once. */
export type FollowPlan = {
  results: (FollowResult | Error)[];
  inserts: Follow[];
  deletes: Binary[];
  userStats: Map<string, FollowStats>;
  changes: FollowChange[];
};

/** Folds the items, in order, into their net effect. Pure. */
export function planFollows(items: FollowItem[], state: CurrentState, now: Date): FollowPlan {
  const slots = new Map<string, { item: FollowItem; _id: Binary; before: boolean; after: boolean }>();
  const followers = new Map<string, number>();
  const following = new Map<string, number>();

  const results = items.map((item): FollowResult | Error => {
    const followingKey = item.followingId.toHexString();
    const user = state.users.get(followingKey);
    const followerKey = item.followerId.toHexString();
    const follower = state.users.get(followerKey);
    const other = item.isByFollowed ? follower : user;
    if (other === undefined) return new CodedError('user_not_found', 'Account not found.');
    if (user === undefined || follower === undefined) {
      return new CodedError('invalid_token', 'The account of this access token was deleted.');
    }
    const _id = pairId(item.followerId, item.followingId);
    const key = _id.toString('hex');
    let slot = slots.get(key);
    if (slot === undefined) {
      const before = state.rows.has(key);
      slots.set(key, (slot = { item, _id, before, after: before }));
    }
    const isFollowing = item.isToggle ? !slot.after : item.isFollowing;
    if (isFollowing && state.blocked.has(item.followerId, item.followingId)) return blocked();
    const change = Number(isFollowing) - Number(slot.after);
    const followingCount = (following.get(followerKey) ?? follower.stats.followingCount) + change;
    if (change > 0 && followingCount > MAX_FOLLOWING) return tooManyFollows();
    following.set(followerKey, followingCount);
    const followersCount = (followers.get(followingKey) ?? user.stats.followersCount) + change;
    followers.set(followingKey, followersCount);
    slot.after = isFollowing;
    return { username: other.username, isFollowing, followersCount };
  });

  const plan: FollowPlan = { results, inserts: [], deletes: [], userStats: new Map(), changes: [] };
  for (const { item, _id, before, after } of slots.values()) {
    if (before === after) continue;
    const { followerId, followingId } = item;
    if (after) plan.inserts.push({ _id, followerId, followingId, seq: new ObjectId(), since: now });
    else plan.deletes.push(_id);
    const { followingCount } = state.users.get(followerId.toHexString())!.stats;
    plan.changes.push({ followerId, followingId, isFollowing: after, followingCount });
    const delta = after ? 1 : -1;
    move(plan.userStats, followerId.toHexString(), 'followingCount', delta);
    move(plan.userStats, followingId.toHexString(), 'followersCount', delta);
  }
  for (const [key, stats] of plan.userStats) {
    if (stats.followersCount === 0 && stats.followingCount === 0) plan.userStats.delete(key);
  }
  return plan;
}

function tooManyFollows(): CodedError {
  return new CodedError('too_many_follows', `An account follows at most ${MAX_FOLLOWING} others. Unfollow one first.`);
}

function move(all: Map<string, FollowStats>, key: string, field: keyof FollowStats, delta: number): void {
  let stats = all.get(key);
  if (stats === undefined) all.set(key, (stats = { followersCount: 0, followingCount: 0 }));
  stats[field] += delta;
}
