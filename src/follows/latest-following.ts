import type { ObjectId } from 'mongodb';
import type { LookupRange } from '../platform/mongo/raw-read.js';
import { FOLLOWS } from './follow.schema.js';

/** The accounts (`followingId`) that the user followed last, latest first. */
export function latestFollowing(followerId: ObjectId, limit: number): LookupRange {
  const latest = [{ $sort: { seq: -1 } }, { $limit: limit }, { $project: { _id: 0, followingId: 1 } }];
  return { from: FOLLOWS, pipeline: [{ $match: { followerId } }, ...latest] };
}
