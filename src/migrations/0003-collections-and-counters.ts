import type { Migration } from '../platform/migrations/migration.js';
import { MongoService } from '../platform/mongo/mongo.service.js';

/** 0.2.0 counts only listed posts of a collection, and the votes of accounts without a verified address apart. */
export const COLLECTIONS_AND_COUNTERS: Migration = {
  number: 3,
  name: 'collections and counters',
  summary: 'Marks the listed posts of collections, and adds counters of votes to posts of 0.1.0.',
  oldestProgram: 3,
  steps: (get) => [
    {
      collection: 'collection_items',
      pending: { isListed: { $exists: false } },
      change: async (rows) => {
        const ids = rows.map(({ postId }) => postId);
        const posts = get(MongoService).db.collection('posts');
        const listed = await posts
          .find({ _id: { $in: ids as never[] }, isListed: true }, { projection: { _id: 1 } })
          .toArray();
        const isListed = new Set(listed.map(({ _id }) => String(_id)));
        return rows.map(({ _id, postId }) => ({
          updateOne: { filter: { _id }, update: { $set: { isListed: isListed.has(String(postId)) } } },
        }));
      },
    },
    {
      collection: 'collections',
      pending: {},
      change: async (rows) => {
        const ids = rows.map(({ _id }) => _id);
        const counted = await get(MongoService)
          .db.collection('collection_items')
          .aggregate<{ _id: unknown; posts: number }>([
            { $match: { collectionId: { $in: ids }, isListed: true } },
            { $group: { _id: '$collectionId', posts: { $sum: 1 } } },
          ])
          .toArray();
        const postsOf = new Map(counted.map(({ _id, posts }) => [String(_id), posts]));
        return rows.map(({ _id }) => {
          const postsCount = postsOf.get(String(_id)) ?? 0;
          const differs = { _id, deletedAt: null, 'stats.postsCount': { $ne: postsCount } };
          return { updateOne: { filter: differs, update: { $set: { 'stats.postsCount': postsCount } } } };
        });
      },
    },
    {
      collection: 'posts',
      pending: { 'visitors.likes': { $exists: false } },
      change: (rows) =>
        rows.map(({ _id }) => ({
          updateOne: {
            filter: { _id },
            update: { $set: { 'visitors.likes': 0, 'visitors.dislikes': 0 }, $unset: { 'rank.due': true } },
          },
        })),
    },
  ],
};
