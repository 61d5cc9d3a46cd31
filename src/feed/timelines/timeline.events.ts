import type { ObjectId } from 'mongodb';
import type { Topic } from '../../platform/events/topic.js';

/** A reader has no timeline, or has lost it: fill it. */
export const TIMELINE_OPENED: Topic<ObjectId> = { name: 'timeline.opened' };

/** A timeline was closed: delete its entries, by the id that they share. */
export const TIMELINE_CLOSED: Topic<ObjectId> = { name: 'timeline.closed' };

/** A reader who may have a timeline has followed or unfollowed this author. */
export const TIMELINE_FOLLOW: Topic<{ readerId: ObjectId; authorId: ObjectId }> = { name: 'timeline.follow' };
