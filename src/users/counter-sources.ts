import type { CountedCollection } from '../audit/counter-registry.js';
import { likesTier } from './user-stats.js';
import { USERS } from './user.schema.js';

export const COUNTED_USERS: CountedCollection = {
  name: USERS,
  // Runs after posts, because an author's received likes are the sum of those of the posts.
  order: 30,
  filter: { deletedAt: null },
  paths: {
    followers: 'stats.followersCount',
    following: 'stats.followingCount',
    posts: 'stats.postsCount',
    likesReceived: 'stats.likesReceivedCount',
    likesPerPost: 'likesPerPost',
    likesTier: 'likesTier',
    collections: 'collectionsCount',
  },
  derive: ({ posts = 0, likesReceived = 0 }) => {
    const likesPerPost = posts === 0 ? 0 : likesReceived / posts;
    return { likesPerPost, likesTier: likesTier(likesPerPost) };
  },
};
