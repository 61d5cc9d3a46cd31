import type { ObjectId } from 'mongodb';
import type { LookupRange } from '../platform/mongo/raw-read.js';
import { MAX_FOLLOWED_TAGS, TAG_FOLLOWS } from './tag-follow.schema.js';

/** The followed tags (`tag`), latest follow first. */
export function latestTags(userId: ObjectId): LookupRange {
  const latest = [{ $sort: { seq: -1 } }, { $limit: MAX_FOLLOWED_TAGS }, { $project: { _id: 0, tag: 1 } }];
  return { from: TAG_FOLLOWS, pipeline: [{ $match: { userId } }, ...latest] };
}
