import type { ObjectId } from 'mongodb';
import type { Topic } from '../common/topic.js';

/** A comment was removed by a moderator 30 days ago. */
export const COMMENT_REMOVAL_EXPIRED: Topic<ObjectId> = { name: 'comment.removal-expired' };

/** A comment was deleted, or hidden by the deletion of a reply. Subscribers delete its row, its votes, and the rest of its tree. */
export const COMMENT_DELETED: Topic<ObjectId> = { name: 'comment.deleted' };
