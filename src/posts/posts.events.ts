import type { ObjectId } from 'mongodb';
import type { Topic } from '../platform/events/event-row.js';

/** A post is in lists from now on: published, or shown again. */
export const POST_LISTED: Topic<ObjectId> = { name: 'post.listed' };

/** A post is in no list any more, and may be shown again. */
export const POST_HIDDEN: Topic<ObjectId> = { name: 'post.hidden' };

/** A post was marked as deleted: its rows, and what hangs on it, are to go. */
export const POST_DELETED: Topic<ObjectId> = { name: 'post.deleted' };
