import type { ObjectId } from 'mongodb';
import type { Topic } from '../platform/events/topic.js';

/** A comment was marked as deleted, or hidden by a deletion: subscribers delete its row, its votes, and the rest of its tree. */
export const COMMENT_DELETED: Topic<ObjectId> = { name: 'comment.deleted' };
