import { type AggregateOptions, type Db, type Document, ObjectId } from 'mongodb';
import { POSTS } from '../posts/post-counters.js';
import { LISTED } from '../posts/visibility.js';
import { TAGS } from './tag.schema.js';

export const NEW_TAG = {
  postsCount: 0,
  followersCount: 0,
  trend: 0,
  description: '',
  aliasOf: null,
  isHidden: false,
} as const;

const HOUR_MS = 3_600_000;
/** A trend compares the last 48 hours with the 28 days before. */
const SLOT_MS = 48 * HOUR_MS;
const EARLIER_SLOTS = 14;
/** Keeps the trends of rare tags low. */
const SMOOTHING = 3;
/** What an author counts at most in 48 hours, so that few accounts make no trend. */
const MAX_OF_AUTHOR = 10;
const MIN_AUTHORS = 3;
const MIN_ACCOUNTS = 5;

/**
 * Counts the public posts of every tag, which reads all of them, and computes trends at a time (ms). Writes only the values that differ.
 * Deletes rows without content.
 * @param newcomerMs age of accounts whose posts count in no trend
 */
export async function countTags(
  db: Db,
  { now, newcomerMs }: { now: number; newcomerMs: number },
  options: AggregateOptions = {},
): Promise<void> {
  const counted: Document = { $set: { postsCount: '$$new.postsCount', trend: '$$new.trend' } };
  const pipeline = [
    { $match: LISTED },
    { $project: { _id: 0, tags: 1 } },
    { $unwind: '$tags' },
    { $group: { _id: '$tags', postsCount: { $sum: 1 } } },
    { $unionWith: { coll: POSTS, pipeline: trends(now, newcomerMs) } },
    // Tags whose last post is no longer public get 0.
    {
      $unionWith: {
        coll: TAGS,
        pipeline: [{ $match: { postsCount: { $gt: 0 } } }, { $project: { postsCount: { $literal: 0 } } }],
      },
    },
    { $group: { _id: '$_id', postsCount: { $sum: '$postsCount' }, trend: { $sum: '$trend' } } },
    { $replaceWith: { $mergeObjects: [{ $literal: NEW_TAG }, '$$ROOT'] } },
    { $merge: { into: TAGS, on: '_id', whenMatched: [counted], whenNotMatched: 'insert' } },
  ];
  await db.collection(POSTS).aggregate(pipeline, options).toArray();
  await db.collection<Document>(TAGS).deleteMany({ ...NEW_TAG });
}

/**
 * Returns the trend of each tag that rises: (posts, likes and comments of the posts of 48 hours + 3) / (mean of the 28 days before + 3). At
 * least three authors, and five accounts that wrote or like one post; visitors and unverified accounts do not count. Reads the posts of 30 days.
 */
function trends(now: number, newcomerMs: number): Document[] {
  const oldest = new Date(now - (EARLIER_SLOTS + 1) * SLOT_MS);
  const newestAccount = ObjectId.createFromTime(Math.floor((now - newcomerMs) / 1_000) + 1);
  const likes = { $subtract: ['$stats.likesCount', '$visitors.likes'] };
  const slot = { $floor: { $divide: [{ $subtract: [new Date(now), '$createdAt'] }, SLOT_MS] } };
  const sumIf = (isRecent: boolean, value: unknown): Document => ({
    $sum: { $cond: [{ [isRecent ? '$eq' : '$gt']: ['$_id.slot', 0] }, value, 0] },
  });
  const mean = { $divide: ['$earlier', EARLIER_SLOTS] };
  return [
    { $match: { ...LISTED, createdAt: { $gt: oldest, $lte: new Date(now) }, authorId: { $lt: newestAccount } } },
    { $project: { tags: 1, authorId: 1, slot, likes, count: { $add: [1, likes, '$stats.commentsCount'] } } },
    { $unwind: '$tags' },
    {
      $group: {
        _id: { tag: '$tags', author: '$authorId', slot: '$slot' },
        count: { $sum: '$count' },
        likes: { $max: '$likes' },
      },
    },
    { $set: { count: { $min: ['$count', MAX_OF_AUTHOR] } } },
    {
      $group: {
        _id: '$_id.tag',
        recent: sumIf(true, '$count'),
        earlier: sumIf(false, '$count'),
        authors: sumIf(true, 1),
        likes: { $max: { $cond: [{ $eq: ['$_id.slot', 0] }, '$likes', 0] } },
      },
    },
    // The accounts that like a post are distinct, and differ from its author.
    {
      $match: {
        authors: { $gte: MIN_AUTHORS },
        $or: [{ authors: { $gte: MIN_ACCOUNTS } }, { likes: { $gte: MIN_ACCOUNTS - 1 } }],
      },
    },
    { $project: { trend: { $divide: [{ $add: ['$recent', SMOOTHING] }, { $add: [mean, SMOOTHING] }] } } },
    { $match: { trend: { $gt: 1 } } },
    { $project: { trend: { $round: ['$trend', 2] } } },
  ];
}
