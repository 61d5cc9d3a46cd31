import type { ObjectId } from 'mongodb';
import type { Topic } from '../common/topic.js';

/** Hook: a registration waits for the decision of a moderator. */
export const SIGN_UP_ADDED: Topic<ObjectId> = { name: 'sign-up.added' };
