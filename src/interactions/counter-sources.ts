import type { CounterSource } from '../audit/counter-registry.js';
import { INTERACTIONS, type TargetModel } from './interaction.schema.js';
import type { VoteValue } from './vote-value.js';

export function votesOn(targetModel: TargetModel): CounterSource {
  const countOf = (value: VoteValue, ...conditions: object[]): object => ({
    $sum: { $cond: [{ $and: [{ $eq: ['$value', value] }, ...conditions] }, 1, 0] },
  });
  const counts: Record<string, object> = { likes: countOf('like'), dislikes: countOf('dislike') };
  const isVisitor = { $eq: ['$isVisitor', true] };
  if (targetModel === 'Post')
    Object.assign(counts, { visitorLikes: countOf('like', isVisitor), visitorDislikes: countOf('dislike', isVisitor) });
  return {
    collection: INTERACTIONS,
    counters: Object.keys(counts),
    pipeline: (holders) => [
      { $match: { targetId: holders, kind: 'vote', targetModel } },
      { $group: { _id: '$targetId', ...counts } },
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
