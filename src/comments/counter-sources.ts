import type { CountedCollection, CounterSource } from '../audit/counter-registry.js';
import { COMMENTS } from './comment.schema.js';

export const COUNTED_COMMENTS: CountedCollection = {
  name: COMMENTS,
  order: 20,
  filter: { isVisible: true },
  paths: { likes: 'stats.likesCount', dislikes: 'stats.dislikesCount', replies: 'stats.repliesCount' },
  // A tombstone stores its reply count, but its votes are deleted.
  ignores: (holder) => (holder['deletedAt'] === null ? [] : ['likes', 'dislikes']),
  within: { collection: 'posts', field: 'postId' },
};

export const REPLIES: CounterSource = {
  collection: COMMENTS,
  counters: ['replies'],
  // No index begins with parentId, but `ancestors` includes the parent.
  pipeline: (holders) => [
    {
      $match: {
        ancestors: '$eq' in holders ? holders.$eq : { $elemMatch: holders },
        parentId: holders,
        isVisible: true,
      },
    },
    { $group: { _id: '$parentId', replies: { $sum: 1 } } },
  ],
};

export const COMMENTS_OF_POSTS: CounterSource = {
  collection: COMMENTS,
  counters: ['comments'],
  pipeline: (holders) => [
    { $match: { postId: holders, deletedAt: null } },
    { $group: { _id: '$postId', comments: { $sum: 1 } } },
  ],
};
