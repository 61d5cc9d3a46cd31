import type { Topic } from '../platform/outbox/outbox-row.js';

/** Accounts and sign-ins, by id, whose access tokens are good no longer. */
export const TOKENS_ENDED: Topic<string[]> = { name: 'tokens.ended' };
