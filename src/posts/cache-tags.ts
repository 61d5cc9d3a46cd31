import type { ObjectId } from 'mongodb';
import { type Month, monthOf } from '../platform/mongo/months.js';
import type { Post } from './post.schema.js';

/** Returns the cache tag of a list of the posts of a month. */
export function tagOfMonth(month: Month): string {
  return `posts:${month}`;
}

/** Returns the tags of all lists, profiles and pages that may show the post. */
export function cacheTagsOf({ _id, authorId, createdAt }: Pick<Post, '_id' | 'authorId' | 'createdAt'>): string[] {
  const [id, author] = [_id, authorId].map((key: ObjectId) => key.toHexString());
  const month = tagOfMonth(monthOf(createdAt));
  return ['feed', 'top-writers', `user:${author}`, `post:${id}`, `comments:${id}`, month];
}
