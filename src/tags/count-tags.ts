import type { AggregateOptions, Db, Document } from 'mongodb';
import { POSTS } from '../posts/post-counters.js';
import { LISTED } from '../posts/visibility.js';
import { TAGS } from './tag.schema.js';

export const NEW_TAG = { postsCount: 0, followersCount: 0, description: '', aliasOf: null, isHidden: false } as const;

/** Counts the public posts of every tag: reads all of them. Writes only the counts that differ. Deletes rows without content. */
export async function countTags(db: Db, options: AggregateOptions = {}): Promise<void> {
  const counted: Document = { $set: { postsCount: '$$new.postsCount' } };
  const pipeline = [
    { $match: LISTED },
    { $project: { _id: 0, tags: 1 } },
    { $unwind: '$tags' },
    { $group: { _id: '$tags', postsCount: { $sum: 1 } } },
    // Tags whose last post is no longer public get 0.
    {
      $unionWith: {
        coll: TAGS,
        pipeline: [{ $match: { postsCount: { $gt: 0 } } }, { $project: { postsCount: { $literal: 0 } } }],
      },
    },
    { $group: { _id: '$_id', postsCount: { $sum: '$postsCount' } } },
    { $replaceWith: { $mergeObjects: [{ $literal: NEW_TAG }, '$$ROOT'] } },
    { $merge: { into: TAGS, on: '_id', whenMatched: [counted], whenNotMatched: 'insert' } },
  ];
  await db.collection(POSTS).aggregate(pipeline, options).toArray();
  await db.collection<Document>(TAGS).deleteMany({ ...NEW_TAG });
}
