import { type Document, Double } from 'mongodb';
import { increment, statsStatements, type UpdateStatement } from '../platform/mongo/update-statements.js';
import type { UserStats } from './user.schema.js';

const COUNTERS = ['followersCount', 'followingCount', 'postsCount', 'likesReceivedCount'] as const;

/** Returns the statements that add differences to users' counters. */
export function userStatements(changes: ReadonlyMap<string, Partial<UserStats>>): UpdateStatement[] {
  return statsStatements(changes, COUNTERS, (moved) => {
    // A pipeline costs the server several times as much as $inc, and follows need none.
    if (moved.postsCount === undefined && moved.likesReceivedCount === undefined) return increment(moved);
    const sums: Document = Object.fromEntries(
      Object.entries(moved).map(([counter, change]) => [`stats.${counter}`, added(counter, change)]),
    );
    // The server computes the quotient from the new counters, so the two cannot drift apart.
    return [{ $set: sums }, LIKES_PER_POST, LIKES_TIER];
  });
}

/** Likes of many authors move together, so an author with a wrong counter must not block the others. */
function added(counter: string, change: number): Document {
  const sum = { $add: [`$stats.${counter}`, change] };
  return counter === 'likesReceivedCount' ? { $max: [0, sum] } : sum;
}

const LIKES_PER_POST: Document = {
  $set: {
    likesPerPost: {
      $cond: [
        { $gt: ['$stats.postsCount', 0] },
        { $divide: ['$stats.likesReceivedCount', '$stats.postsCount'] },
        new Double(0),
      ],
    },
  },
};

/**
 * The tier rises with likes per post; only writers without likes are in tier 0. Tiers are coarse, because a vote always changes the likes
 * per post, but rarely the tier (docs/experiments.md). MongoDB computes the same tier: the root is exact to the last bit (IEEE 754).
 */
export function likesTier(likesPerPost: number): number {
  return Math.ceil(Math.sqrt(likesPerPost) / 2);
}

/** Like `likesTier`, without an error for a number below zero, which the validator refuses. */
const LIKES_TIER: Document = {
  $set: { likesTier: { $toInt: { $ceil: { $divide: [{ $sqrt: { $max: [0, '$likesPerPost'] } }, 2] } } } },
};
