import { type Document, Double } from 'mongodb';
import { increment, statsStatements, type UpdateStatement } from '../platform/mongo/batch-commands.js';
import type { UserStats } from './user.schema.js';

const COUNTERS = ['followersCount', 'followingCount', 'postsCount', 'likesReceivedCount'] as const;

/** The statements that add differences to users' counters. */
export function userStatements(changes: ReadonlyMap<string, Partial<UserStats>>): UpdateStatement[] {
  return statsStatements(changes, COUNTERS, (moved) => {
    // a pipeline costs the server several times a plain $inc; follows need none
    if (moved.postsCount === undefined && moved.likesReceivedCount === undefined) return increment(moved);
    const sums: Document = Object.fromEntries(
      Object.entries(moved).map(([counter, change]) => [`stats.${counter}`, added(counter, change)]),
    );
    // the server computes the quotient from the counters that it has just moved, so it can never drift from them
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
 * Writers with more likes per post are in the same tier or a higher one; those without likes are alone in tier 0. The tiers are coarse on
 * purpose: a vote changes an author's likes per post every time, but rarely the tier (docs/experiments.md). The root is exact to the
 * last bit (IEEE 754), as in MongoDB, so both always agree.
 */
export function likesTier(likesPerPost: number): number {
  return Math.ceil(Math.sqrt(likesPerPost) / 2);
}

/** Like `likesTier`; never for a number below zero, so that the validator refuses it. */
const LIKES_TIER: Document = {
  $set: { likesTier: { $toInt: { $ceil: { $divide: [{ $sqrt: { $max: [0, '$likesPerPost'] } }, 2] } } } },
};
