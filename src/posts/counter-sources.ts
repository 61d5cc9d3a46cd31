import type { CountedCollection, CounterSource } from '../audit/counter-registry.js';
import { LISTED } from './visibility.js';
import { POSTS } from './post-counters.js';

export const COUNTED_POSTS: CountedCollection = {
  name: POSTS,
  order: 10,
  filter: { deletedAt: null },
  paths: {
    likes: 'stats.likesCount',
    dislikes: 'stats.dislikesCount',
    comments: 'stats.commentsCount',
    views: 'stats.viewsCount',
    reads: 'stats.readsCount',
    shares: 'stats.sharesCount',
    visitorReads: 'visitors.reads',
    visitorShares: 'visitors.shares',
    visitorLikes: 'visitors.likes',
    visitorDislikes: 'visitors.dislikes',
  },
};

/** The published posts of an author, and the sum of their likes. */
export const PUBLISHED: CounterSource = {
  collection: POSTS,
  counters: ['posts', 'likesReceived'],
  pipeline: (holders) => [
    { $match: { authorId: holders, ...LISTED } },
    { $group: { _id: '$authorId', posts: { $sum: 1 }, likesReceived: { $sum: '$stats.likesCount' } } },
  ],
};
