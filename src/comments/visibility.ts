import { CodedError } from '../common/errors.js';
import type { CommentRow } from './comment.schema.js';

/** Whether a comment can be replied to and voted on: visible, and no tombstone. Its post's rule comes on top (posts/visibility). */
export function isLive<Comment extends Pick<CommentRow, 'deletedAt' | 'isVisible'>>(
  comment: Comment | undefined,
): comment is Comment {
  return comment !== undefined && comment.deletedAt === null && comment.isVisible;
}

export function commentNotFound(): CodedError {
  return new CodedError('comment_not_found', 'Comment not found.');
}

export function postLocked(): CodedError {
  return new CodedError(
    'post_locked',
    'This post is locked: it takes no new comments, and those it has can only be deleted.',
  );
}
