import type { ObjectId } from 'mongodb';
import { type Fact, mentionFacts } from '../activity/activity-facts.js';
import { toRemoval } from '../moderation/removal.dto.js';
import { hasRole, type Viewer } from '../platform/access/viewer.js';
import { versionedEtag } from '../platform/http/if-match.js';
import { toAuthor } from '../users/author-snapshot.js';
import type { Comment } from './comment.schema.js';
import type { CommentDto } from './dto/comment.dto.js';

/** Stored fields of a response. */
export const COMMENT_PROJECTION = {
  postId: 1,
  parentId: 1,
  authorId: 1,
  authorSnapshot: 1,
  content: 1,
  stats: 1,
  isEdited: 1,
  createdAt: 1,
  updatedAt: 1,
  deletedAt: 1,
  isLimited: 1,
  removal: 1,
} as const satisfies Partial<Record<keyof Comment, 1>>;

export type CommentViewRow = Pick<Comment, '_id' | keyof typeof COMMENT_PROJECTION>;

/** A comment in responses. Plain data, because it may come from another process. */
export type CommentJson = Plain<CommentDto>;
type Plain<T> = T extends object ? { [Name in keyof T]: Plain<T[Name]> } : T;

type NewComment = Pick<Comment, '_id' | 'authorId' | 'postId' | 'mentions'>;

export function toComment(row: CommentViewRow): CommentJson {
  const isDeleted = row.deletedAt !== null;
  const { likesCount, dislikesCount, repliesCount } = row.stats;
  return {
    id: row._id.toHexString(),
    postId: row.postId.toHexString(),
    parentId: row.parentId?.toHexString() ?? null,
    author: isDeleted ? null : toAuthor(row.authorId, row.authorSnapshot),
    content: isDeleted ? null : row.content,
    stats: { likesCount, dislikesCount, repliesCount },
    isEdited: row.isEdited,
    isDeleted,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** Returns a comment as a viewer reads it: its author and moderators get a removed one with its text. */
export function toReadableComment(row: CommentViewRow, viewer: Viewer | null): CommentJson {
  const { removal } = row;
  if (removal === undefined || !seesRemoved(row.authorId.toHexString(), viewer)) return toComment(row);
  return { ...toComment({ ...row, deletedAt: null, content: removal.content }), removal: toRemoval(removal) };
}

/** Whether a viewer reads the removed comments of an author. */
export function seesRemoved(authorId: string, viewer: Viewer | null): viewer is Viewer {
  return viewer !== null && (viewer.id === authorId || hasRole(viewer, 'moderator'));
}

/** Returns a comment as lists show it. Those of limited accounts have no author and text. */
export function toListedComment(row: CommentViewRow, viewer: Viewer | null = null): CommentJson {
  const comment = toReadableComment(row, viewer);
  if (row.isLimited !== true || row.deletedAt !== null) return comment;
  return { ...comment, author: null, content: null, isHiddenForYou: true };
}

/** Returns the facts of a comment that readers see for the first time. */
export function factsOf({ _id, authorId: actor, postId, mentions = [] }: NewComment): Fact[] {
  return [
    { kind: 'comment', actor, target: _id, second: postId },
    ...mentionFacts({ kind: 'mention_in_comment', actor, target: _id }, mentions),
  ];
}

/** Returns the version for If-Match, which increases with every edit. */
export function versionOf({ updatedAt }: { updatedAt: Date }): number {
  return updatedAt.getTime();
}

/** Returns the ETag of the comment, for the next If-Match. */
export function commentEtag(comment: CommentJson): string {
  return versionedEtag(Date.parse(comment.updatedAt), comment);
}

export function locationOf({ id }: CommentJson): string {
  return `/v1/comments/${id}`;
}

/** Returns the cache tags of all responses that contain one of these comments, and of the lists of its post. */
export function tagsOf(comments: { postId: ObjectId | string }[]): string[] {
  return [...new Set(comments.map(({ postId }) => `comments:${String(postId)}`))];
}

/** Returns the tags by which the search index notices changes of these comments. No response has them. */
export function tagsOfChanged(ids: readonly ObjectId[]): string[] {
  return ids.map((id) => `comment:${id.toHexString()}`);
}

/** Returns the cache tag of the comments of an account. Those that appear in this list invalidate it; `tagsOf` covers all others. */
export function tagOfAuthor(username: string): string {
  return `comments by:${username}`;
}

/** As `tagsOf`, for comments that become visible. */
export function tagsOfShown(comments: Pick<Comment, 'postId' | 'authorSnapshot'>[]): string[] {
  const authors = new Set(comments.map(({ authorSnapshot }) => authorSnapshot.username));
  return [...tagsOf(comments), ...[...authors].map(tagOfAuthor)];
}
