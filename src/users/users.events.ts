import type { ObjectId } from 'mongodb';
import type { Topic } from '../common/topic.js';
import type { User } from './user.schema.js';

/** cache tag of responses that depend on the site having no account */
export const FIRST_ACCOUNT_TAG = 'first-account';

/** Hook: an account is created. */
export const ACCOUNT_CREATED: Topic<Pick<User, '_id' | 'username'>> = { name: 'account.created' };

/** Hook: the profile of an account changes. */
export const PROFILE_CHANGED: Topic<Pick<User, '_id' | 'username' | 'updatedAt'>> = { name: 'profile.changed' };

/** An account was deleted: subscribers delete its posts, comments, votes and follows. */
export const ACCOUNT_ENDED: Topic<ObjectId> = { name: 'account.ended' };

/** The standing of an account has changed or expired: subscribers hide the content of a limited account from lists, or list it again. */
export const STANDING_CHANGED: Topic<ObjectId> = { name: 'standing.changed' };

/** An account's name, username or image has changed: subscribers update the copies in posts and comments. */
export const AUTHOR_CHANGED: Topic<ObjectId> = { name: 'author.changed' };

/** Hook: an account switches personal lists off. */
export const PERSONALISED_OFF: Topic<ObjectId> = { name: 'personalised.off' };

/** Hook: an account changes the interests of its profile. */
export const INTERESTS_CHANGED: Topic<{ userId: ObjectId; interests: string[] }> = { name: 'interests.changed' };
