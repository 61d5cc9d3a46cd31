import type { ObjectId } from 'mongodb';
import type { Topic } from '../common/topic.js';
import type { Comment } from './comment.schema.js';

/** A comment was removed by a moderator 30 days ago. */
export const COMMENT_REMOVAL_EXPIRED: Topic<ObjectId> = { name: 'comment.removal-expired' };

/** A comment was deleted, or hidden by the deletion of a reply. Subscribers delete its row, its votes, and the rest of its tree. */
export const COMMENT_DELETED: Topic<ObjectId> = { name: 'comment.deleted' };

export type ChangedComment = Pick<Comment, '_id' | 'postId' | 'authorId' | 'updatedAt'>;
/** Hook: an author changes a comment. */
export const COMMENT_EDITED: Topic<ChangedComment> = { name: 'comment.edited' };
