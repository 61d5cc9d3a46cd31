import type { ObjectId } from 'mongodb';
import type { Topic } from '../common/topic.js';

/** The accounts (hex ids) whose list filter has changed. */
export const FILTERS_CHANGED: Topic<string[]> = { name: 'filters.changed' };

/** Hook: an account blocks another one. */
export const ACCOUNT_BLOCKED: Topic<{ ownerId: ObjectId; otherId: ObjectId }> = { name: 'account.blocked' };
