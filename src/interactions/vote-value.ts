import { namedValues } from '../common/named-values.js';

export const VOTE_VALUES = namedValues('VoteChoice', ['like', 'dislike']);
export type VoteValue = (typeof VOTE_VALUES)[number];
