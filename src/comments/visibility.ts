import { CodedError } from '../common/errors.js';
import type { Comment } from './comment.schema.js';

/** Whether a comment accepts replies and votes: visible, and not a tombstone. The rule of its post applies, too (posts/visibility). */
export function isLive<C extends Pick<Comment, 'deletedAt' | 'isVisible'>>(comment: C | undefined): comment is C {
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
