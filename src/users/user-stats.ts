import { type AnyBulkWriteOperation, type Document, Double, ObjectId } from 'mongodb';
import type { UserRow, UserStats } from './user-row.js';

const COUNTERS = ['followersCount', 'followingCount', 'postsCount', 'likesReceivedCount'] as const;

/** One update per user whose counters move; changes that add up to nothing are left out. */
export function statsUpdates(changes: ReadonlyMap<string, Partial<UserStats>>): AnyBulkWriteOperation<UserRow>[] {
  const operations: AnyBulkWriteOperation<UserRow>[] = [];
  for (const [hex, change] of changes) {
    const moved = COUNTERS.filter((counter) => (change[counter] ?? 0) !== 0);
    if (moved.length === 0) continue;
    const filter = { _id: ObjectId.createFromHexString(hex) };
    if (!moved.includes('postsCount') && !moved.includes('likesReceivedCount')) {
      // a pipeline costs the server several times a plain $inc; follows need none
      const $inc = Object.fromEntries(moved.map((counter) => [`stats.${counter}`, change[counter]!]));
      operations.push({ updateOne: { filter, update: { $inc } } });
      continue;
    }
    const added: Document = Object.fromEntries(
      moved.map((counter) => [`stats.${counter}`, { $add: [`$stats.${counter}`, change[counter]] }]),
    );
    // the quotient is worked out by the server from the counters it has just moved, so it can never drift from them
    operations.push({ updateOne: { filter, update: [{ $set: added }, RECOMPUTE_LIKES_PER_POST] } });
  }
  return operations;
}

/** Also what repairs the quotient after counters were put right. */
export const RECOMPUTE_LIKES_PER_POST: Document = {
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
