import type { CommentJson } from '../comments/comment-view.js';

/** The author of a deleted comment. The client fails without author fields. */
const DELETED_AUTHOR = { id: '', username: 'deleted', profilePicture: null };

/**
 * Converts a comment to the fields of OpenCanvas.
 * @param parentId the top-level comment, because the client supports one level of replies
 */
export function toOpenCanvasComment(comment: CommentJson, parentId = comment.parentId) {
  const { id, username, profilePicture } = comment.author ?? DELETED_AUTHOR;
  return {
    _id: comment.id,
    postId: comment.postId,
    parentId,
    content: comment.content ?? '[deleted]',
    authorId: id,
    authorSnapshot: { username, profilePicture: profilePicture ?? '' },
    stats: comment.stats,
    createdAt: comment.createdAt,
    updatedAt: comment.updatedAt,
  };
}
