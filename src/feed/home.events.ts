import type { ObjectId } from 'mongodb';
import type { Topic } from '../platform/events/topic.js';

/** A reader has no timeline, or has lost it: fill it. */
export const HOME_OPENED: Topic<ObjectId> = { name: 'home.opened' };

/** A timeline was closed: delete its entries, by the id that they share. */
export const HOME_CLOSED: Topic<ObjectId> = { name: 'home.closed' };

/** A reader who may have a timeline has followed or unfollowed this author. */
export const HOME_FOLLOW: Topic<{ readerId: ObjectId; authorId: ObjectId }> = { name: 'home.follow' };
