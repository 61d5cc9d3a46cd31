import type { ObjectId } from 'mongodb';
import type { Topic } from '../platform/events/topic.js';

/** An account was deleted: subscribers delete its posts, comments, votes and follows. */
export const ACCOUNT_ENDED: Topic<ObjectId> = { name: 'account.ended' };

/** An account's name, username or image has changed: subscribers update the copies in posts and comments. */
export const AUTHOR_CHANGED: Topic<ObjectId> = { name: 'author.changed' };
