import type { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { hasRole, type ViewerClaims } from '../platform/access/viewer.js';
import type { Post } from './post.schema.js';
import type { Visibility } from './post-types.js';

/** The fields for the visibility rule. Every read that applies the rule includes these fields. */
export type PostVisibility = Pick<Post, 'authorId' | 'isListed' | 'isUnlisted' | 'deletedAt'>;
export const VISIBILITY_FIELDS = {
  authorId: 1,
  isListed: 1,
  isUnlisted: 1,
  deletedAt: 1,
} as const satisfies Record<keyof PostVisibility, 1>;

/** Selects public posts, which lists show to all readers. An index over public posts alone serves every list of posts. */
export const LISTED = { isListed: true } as const;

/**
 * Selects an author's own posts, including hidden posts. Plain null would also mean "missing": the server would merge two index ranges,
 * and near the end of an author's posts would prefer to scan the posts of all authors.
 */
export function ownPosts(authorId: ObjectId) {
  return { authorId, deletedAt: { $type: 'null' } } as const;
}

/** Returns the visibility that the stored fields mean. */
export function visibilityOf({ isPublic, isUnlisted }: Pick<Post, 'isPublic' | 'isUnlisted'>): Visibility {
  if (isPublic) return 'public';
  return isUnlisted === true ? 'unlisted' : 'private';
}

/** Selects the posts of a visibility, as `visibilityOf` names it. */
export function ofVisibility(visibility: Visibility) {
  const isUnlisted = visibility === 'unlisted' ? true : { $ne: true };
  return visibility === 'public' ? { isPublic: true } : { isPublic: false, isUnlisted };
}

/**
 * Returns the stored form of a requested visibility, or nothing if the request has neither field. `isPublic` alone is public or private.
 * @throws CodedError `invalid_visibility` when both fields are given and contradict each other
 */
export function requestedVisibility({ isPublic, visibility }: { isPublic?: boolean; visibility?: Visibility }): {
  isPublic?: boolean;
  isUnlisted?: boolean;
} {
  if (visibility === undefined) return isPublic === undefined ? {} : { isPublic, isUnlisted: false };
  const stored = { isPublic: visibility === 'public', isUnlisted: visibility === 'unlisted' };
  if (isPublic === undefined || isPublic === stored.isPublic) return stored;
  const message = `contradicts isPublic: ${isPublic}`;
  const fields = [{ field: 'visibility', message }];
  throw new CodedError('invalid_visibility', `visibility ${message}.`, { fields });
}

/**
 * The rule for reading a post by its address and interacting with it: all readers may read a public or unlisted post, only its author a
 * hidden post, and no reader a deleted post. For all other readers the post does not exist.
 * @param readerId undefined for a visitor
 */
export function canRead<P extends PostVisibility>(
  post: P | undefined,
  readerId: ObjectId | string | undefined,
): post is P {
  if (post === undefined || post.deletedAt !== null) return false;
  return post.isListed || post.isUnlisted === true || (readerId !== undefined && post.authorId.equals(readerId));
}

/** Whether a post requested by its id is shown. Moderators can also see hidden posts, because they may act on them. */
export function canSee<P extends PostVisibility>(post: P | undefined, viewer: ViewerClaims | null): post is P {
  if (viewer === null || !hasRole(viewer, 'moderator')) return canRead(post, viewer?.id);
  return post !== undefined && post.deletedAt === null;
}

/** Whether a list that others made shows the post. Like `canSee`, but an unlisted post only for its author and moderators. */
export function isListedFor<P extends PostVisibility>(post: P | undefined, viewer: ViewerClaims | null): post is P {
  if (!canSee(post, viewer)) return false;
  if (post.isListed) return true;
  return viewer !== null && (post.authorId.equals(viewer.id) || hasRole(viewer, 'moderator'));
}

/** Returns the post if this viewer may see it. @throws CodedError `post_not_found` */
export function requireVisible<P extends PostVisibility>(post: P | undefined, viewer: ViewerClaims | null): P {
  if (!canSee(post, viewer)) throw postNotFound();
  return post;
}

export function postNotFound(): CodedError {
  return new CodedError('post_not_found', 'Post not found.');
}
