import type { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import type { PostRow } from './post-row.js';

/** What the rule looks at; every read that is judged by it asks for these fields. */
export type PostVisibility = Pick<PostRow, 'authorId' | 'isListed' | 'deletedAt'>;
export const VISIBILITY_FIELDS = { authorId: 1, isListed: 1, deletedAt: 1 } as const satisfies Record<
  keyof PostVisibility,
  1
>;

/** Queries for what everyone may read. Every list of posts is served by an index over these alone. */
export const READABLE_BY_ALL = { isListed: true } as const;

/**
 * Queries for what an author may read of their own posts: hidden ones too. Plain null would also mean "missing": the server would
 * merge two index ranges, and near the end of an author's posts it would prefer to walk everyone's.
 */
export function ownPosts(authorId: ObjectId) {
  return { authorId, deletedAt: { $type: 'null' } } as const;
}

/**
 * The one rule of who may read a post: everyone a listed one, its author a hidden one, no one a deleted one. For all others it does
 * not exist.
 * @param readerId undefined for a visitor
 */
export function canRead<Post extends PostVisibility>(
  post: Post | undefined,
  readerId: ObjectId | string | undefined,
): post is Post {
  if (post === undefined || post.deletedAt !== null) return false;
  return post.isListed || (readerId !== undefined && post.authorId.equals(readerId));
}

/** The post, where this reader may read it. @throws CodedError `post_not_found` */
export function requireReadable<Post extends PostVisibility>(
  post: Post | undefined,
  readerId: ObjectId | string | undefined,
): Post {
  if (!canRead(post, readerId)) throw postNotFound();
  return post;
}

export function postNotFound(): CodedError {
  return new CodedError('post_not_found', 'There is no post with this id that you may read.');
}
