import type { Topic } from '../platform/events/event-row.js';

/** Accounts and sign-ins, by id, whose access tokens are no longer valid. */
export const TOKENS_ENDED: Topic<string[]> = { name: 'tokens.ended' };
