import type { Db } from 'mongodb';
import { countTags, NEW_TAG } from '../src/tags/count-tags.js';
import { TAG_FOLLOWS } from '../src/tags/tag-follow.schema.js';
import { TAGS } from '../src/tags/tag.schema.js';

/** Computes the rows of tags from the posts and follows of the dataset. */
export async function writeTags(db: Db, now: number): Promise<void> {
  const pipeline = [
    { $group: { _id: '$tag', followersCount: { $sum: 1 } } },
    { $replaceWith: { $mergeObjects: [{ $literal: NEW_TAG }, '$$ROOT'] } },
    { $merge: { into: TAGS, on: '_id' } },
  ];
  await db.collection(TAG_FOLLOWS).aggregate(pipeline).toArray();
  await countTags(db, { now, newcomerMs: 0 });
}
