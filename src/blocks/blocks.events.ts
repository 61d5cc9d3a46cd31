import type { Topic } from '../common/topic.js';

/** The accounts (hex ids) whose list filter has changed. */
export const FILTERS_CHANGED: Topic<string[]> = { name: 'filters.changed' };
