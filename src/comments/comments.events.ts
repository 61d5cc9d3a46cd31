import type { ObjectId } from 'mongodb';
import type { Topic } from '../platform/events/event-row.js';

/** A comment was marked as deleted, or hidden by one: its row and its votes are to go, and the rest of its tree. */
export const COMMENT_DELETED: Topic<ObjectId> = { name: 'comment.deleted' };
