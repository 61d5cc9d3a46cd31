import type { Topic } from '../common/topic.js';
import type { FollowChange } from './follow-plan.js';

/** Hook: follows begin or end. */
export const FOLLOWS_CHANGED: Topic<FollowChange[]> = { name: 'follows.changed' };
