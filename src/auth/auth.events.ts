import type { Topic } from '../common/topic.js';

/** Ids of accounts and sessions whose access tokens are no longer valid. */
export const TOKENS_ENDED: Topic<string[]> = { name: 'tokens.ended' };
