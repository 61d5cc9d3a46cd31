import type { CounterSource } from '../audit/counter-registry.js';
import { FOLLOWS } from './follow.schema.js';

const count = { $sum: 1 };

/** Count both sides of a follow. */
export const FOLLOW_SOURCES: CounterSource[] = [
  {
    collection: FOLLOWS,
    counters: ['followers'],
    pipeline: (holders) => [
      { $match: { followingId: holders } },
      { $group: { _id: '$followingId', followers: count } },
    ],
  },
  {
    collection: FOLLOWS,
    counters: ['following'],
    pipeline: (holders) => [{ $match: { followerId: holders } }, { $group: { _id: '$followerId', following: count } }],
  },
];
