import type { CountedCollection, CounterSource } from '../audit/counter-registry.js';
import { COLLECTION_ITEMS, COLLECTIONS, topScore } from './collection-rules.js';

export const COUNTED_COLLECTIONS: CountedCollection = {
  name: COLLECTIONS,
  order: 40,
  filter: { deletedAt: null },
  paths: {
    posts: 'stats.postsCount',
    likes: 'stats.likesCount',
    dislikes: 'stats.dislikesCount',
    followers: 'stats.followersCount',
    topScore: 'topScore',
  },
  derive: ({ likes = 0, dislikes = 0, followers = 0 }) => ({
    topScore: topScore({ likesCount: likes, dislikesCount: dislikes, followersCount: followers }),
  }),
};

export const ITEMS_OF_COLLECTIONS: CounterSource = {
  collection: COLLECTION_ITEMS,
  counters: ['posts'],
  pipeline: (holders) => [
    { $match: { collectionId: holders, isListed: true } },
    { $group: { _id: '$collectionId', posts: { $sum: 1 } } },
  ],
};

export const COLLECTIONS_OF_USERS: CounterSource = {
  collection: COLLECTIONS,
  counters: ['collections'],
  pipeline: (holders) => [
    { $match: { ownerId: holders, deletedAt: null } },
    { $group: { _id: '$ownerId', collections: { $sum: 1 } } },
  ],
};
