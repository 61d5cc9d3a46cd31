import type { ObjectId } from 'mongodb';
import type { Topic } from '../../common/topic.js';

/** A reader needs a timeline, which a task fills. */
export const TIMELINE_OPENED: Topic<ObjectId> = { name: 'timeline.opened' };

/** A timeline was closed. The payload is the key prefix of the entries to delete. */
export const TIMELINE_CLOSED: Topic<ObjectId> = { name: 'timeline.closed' };

/** A reader who may have a timeline followed or unfollowed an author. */
export const TIMELINE_FOLLOW: Topic<{ readerId: ObjectId; authorId: ObjectId }> = { name: 'timeline.follow' };
