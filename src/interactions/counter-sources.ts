import type { CounterSource } from '../audit/counter-registry.js';
import { INTERACTIONS, type TargetModel, type VoteValue } from './interaction.schema.js';

export function votesOn(targetModel: TargetModel): CounterSource {
  const countOf = (value: VoteValue): object => ({ $sum: { $cond: [{ $eq: ['$value', value] }, 1, 0] } });
  return {
    collection: INTERACTIONS,
    counters: ['likes', 'dislikes'],
    pipeline: (holders) => [
      { $match: { targetId: holders, kind: 'vote', targetModel } },
      { $group: { _id: '$targetId', likes: countOf('like'), dislikes: countOf('dislike') } },
    ],
  };
}

export const FOLLOWERS_OF_COLLECTIONS: CounterSource = {
  collection: INTERACTIONS,
  counters: ['followers'],
  pipeline: (holders) => [
    { $match: { targetId: holders, kind: 'follow' } },
    { $group: { _id: '$targetId', followers: { $sum: 1 } } },
  ],
};
