import type { CountedCollection, CounterSource } from '../audit/counter-registry.js';
import { TAG_FOLLOWS } from './tag-follow.schema.js';
import { TAGS } from './tag.schema.js';

/** The job computes the posts of a tag, so an audit compares only followers. */
export const COUNTED_TAGS: CountedCollection = {
  name: TAGS,
  order: 40,
  filter: {},
  lowestId: '',
  paths: { followers: 'followersCount' },
};

export const TAG_FOLLOWERS: CounterSource = {
  collection: TAG_FOLLOWS,
  counters: ['followers'],
  pipeline: (holders) => [{ $match: { tag: holders } }, { $group: { _id: '$tag', followers: { $sum: 1 } } }],
};
