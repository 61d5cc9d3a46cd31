import type { Topic } from '../common/topic.js';

/** Contains the ids of accounts whose notifications or read state changed. */
export const NOTIFIED: Topic<string[]> = { name: 'notifications.changed' };
