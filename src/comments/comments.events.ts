import type { ObjectId } from 'mongodb';
import type { Topic } from '../platform/events/topic.js';

/** A comment was deleted, or hidden by the deletion of a reply. Subscribers delete its row, its votes, and the rest of its tree. */
export const COMMENT_DELETED: Topic<ObjectId> = { name: 'comment.deleted' };
