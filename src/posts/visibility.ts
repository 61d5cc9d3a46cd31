import type { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { hasRole, type Viewer } from '../platform/auth/viewer.js';
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
 * The one rule of who may read a post, and take part in it: everyone a listed one, its author a hidden one, no one a deleted one. For
 * all others it does not exist.
 * @param readerId undefined for a visitor
 */
export function canRead<Post extends PostVisibility>(
  post: Post | undefined,
  readerId: ObjectId | string | undefined,
): post is Post {
  if (post === undefined || post.deletedAt !== null) return false;
  return post.isListed || (readerId !== undefined && post.authorId.equals(readerId));
}

/** Whether a post that is asked for by its id is shown: moderators see what they may delete, hidden posts too. */
export function canSee<Post extends PostVisibility>(post: Post | undefined, viewer: Viewer | null): post is Post {
  if (viewer === null || !hasRole(viewer, 'moderator')) return canRead(post, viewer?.id);
  return post !== undefined && post.deletedAt === null;
}

/** The post, where this viewer may see it. @throws CodedError `post_not_found` */
export function requireVisible<Post extends PostVisibility>(post: Post | undefined, viewer: Viewer | null): Post {
  if (!canSee(post, viewer)) throw postNotFound();
  return post;
}

export function postNotFound(): CodedError {
  return new CodedError('post_not_found', 'Post not found.');
}
