import type { Topic } from '../platform/events/topic.js';

/** The accounts (hex ids) whose list filter has changed. */
export const FILTERS_CHANGED: Topic<string[]> = { name: 'filters.changed' };
