import type { ClientSession, Db, Document, ObjectId } from 'mongodb';
import { eventsBetween, eventsOf, windowsOf } from '../posts/events/event-keys.js';
import { likesTier } from '../users/likes-tier.js';

/** Holders from `after` (exclusive) to `upTo` (inclusive), by _id. */
export type IdRange = { after: ObjectId; upTo: ObjectId };

/** Where and in which snapshot a source is asked. */
export type Asking = { db: Db; session?: ClientSession };

/** Where counts come from: rows of one collection, grouped by the holder they belong to. What several give of a counter is added up. */
export type CountSource = {
  collection: string;
  /** counters this source gives; a holder it has no rows of counts 0 */
  counters: readonly string[];
  /** answers `{ _id: holder, …counters }`; must be served by an index on the holder */
  pipeline(holder: Document, asking: Asking): Document[] | Promise<Document[]>;
};

/** Documents that carry counters, and the rows behind them. */
export type CountedKind = {
  name: 'posts' | 'comments' | 'users';
  /** holders whose counters mean something: of deleted ones the sweeper is removing the rows */
  filter: Document;
  /** counter -> path in the holder */
  paths: Record<string, string>;
  sources: readonly CountSource[];
  /** counters that follow from others */
  derive?: (counts: Record<string, number>) => Record<string, number>;
  /** counters that holders of an earlier version lack: none is 0 */
  mayLack?: readonly string[];
  /** counters that do not bind for this holder */
  ignores?: (holder: Document) => readonly string[];
  /** the holder that must be live too for the counters to mean anything */
  within?: { collection: string; field: string };
};

const count = { $sum: 1 };
const sumIf = (condition: Document) => ({ $sum: { $cond: [condition, 1, 0] } });

const byVisitor = (kind: string) => ({ $and: [{ $eq: ['$kind', kind] }, { $eq: ['$isVisitor', true] }] });

const votesOn = (targetModel: 'Post' | 'Comment'): CountSource => ({
  collection: 'interactions',
  counters: ['likes', 'dislikes'],
  pipeline: (holder) => [
    { $match: { targetId: holder, kind: 'vote', targetModel } },
    {
      $group: {
        _id: '$targetId',
        likes: sumIf({ $eq: ['$value', 'like'] }),
        dislikes: sumIf({ $eq: ['$value', 'dislike'] }),
      },
    },
  ],
});

/** A day's id is `<postId>:<day>`, and `;` comes right after `:`. */
function daysOf(holder: Document): Document {
  const { $eq, $gt, $lte } = holder as Partial<Record<'$eq' | '$gt' | '$lte', ObjectId>>;
  if ($eq !== undefined) return { $gte: `${$eq.toHexString()}:`, $lt: `${$eq.toHexString()};` };
  return { $gte: `${$gt!.toHexString()};`, $lt: `${$lte!.toHexString()};` };
}

/** An event's id begins with the end of its window and the post: one range for each window that has events. */
async function recentEventsOf(holder: Document, { db, session }: Asking): Promise<Document> {
  const { $eq, $gt, $lte } = holder as Partial<Record<'$eq' | '$gt' | '$lte', ObjectId>>;
  const windows = await windowsOf(db.collection('post_recent_events'), session);
  const ranges = windows.map((endsAt) =>
    $eq === undefined ? eventsBetween($gt!, $lte!, endsAt) : eventsOf($eq, endsAt),
  );
  return ranges.length === 0 ? { _id: { $in: [] } } : { $or: ranges };
}

/** Posts come first: the likes an author received are the sum of what their posts say. */
export const COUNTED_KINDS: readonly CountedKind[] = [
  {
    name: 'posts',
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
    },
    mayLack: ['visitorReads', 'visitorShares'],
    sources: [
      votesOn('Post'),
      {
        collection: 'comments',
        counters: ['comments'],
        pipeline: (holder) => [
          { $match: { postId: holder, deletedAt: null } },
          { $group: { _id: '$postId', comments: count } },
        ],
      },
      {
        collection: 'post_event_days',
        counters: ['views', 'reads', 'shares', 'visitorReads', 'visitorShares'],
        pipeline: (holder) => [
          { $match: { _id: daysOf(holder) } },
          {
            $group: {
              _id: '$postId',
              views: { $sum: '$views' },
              reads: { $sum: '$reads' },
              shares: { $sum: '$shares' },
              visitorReads: { $sum: '$visitorReads' },
              visitorShares: { $sum: '$visitorShares' },
            },
          },
        ],
      },
      {
        collection: 'post_recent_events',
        counters: ['views', 'reads', 'shares', 'visitorReads', 'visitorShares'],
        pipeline: async (holder, asking) => [
          { $match: await recentEventsOf(holder, asking) },
          {
            $group: {
              _id: '$postId',
              views: sumIf({ $eq: ['$kind', 'view'] }),
              reads: sumIf({ $eq: ['$kind', 'read'] }),
              shares: sumIf({ $eq: ['$kind', 'share'] }),
              visitorReads: sumIf(byVisitor('read')),
              visitorShares: sumIf(byVisitor('share')),
            },
          },
        ],
      },
    ],
  },
  {
    name: 'comments',
    filter: { isVisible: true },
    paths: { likes: 'stats.likesCount', dislikes: 'stats.dislikesCount', replies: 'stats.repliesCount' },
    sources: [
      votesOn('Comment'),
      {
        collection: 'comments',
        counters: ['replies'],
        // no index begins with parentId, but a parent is an ancestor
        pipeline: (holder) => [
          {
            $match: {
              ancestors: '$gt' in holder ? { $elemMatch: holder } : (holder['$eq'] as ObjectId),
              parentId: holder,
              isVisible: true,
            },
          },
          { $group: { _id: '$parentId', replies: count } },
        ],
      },
    ],
    // what is left of a deleted comment holds its replies' place; its votes go
    ignores: (holder) => (holder['deletedAt'] === null ? [] : ['likes', 'dislikes']),
    within: { collection: 'posts', field: 'postId' },
  },
  {
    name: 'users',
    filter: { deletedAt: null },
    paths: {
      followers: 'stats.followersCount',
      following: 'stats.followingCount',
      posts: 'stats.postsCount',
      likesReceived: 'stats.likesReceivedCount',
      likesPerPost: 'likesPerPost',
      likesTier: 'likesTier',
    },
    sources: [
      {
        collection: 'follows',
        counters: ['followers'],
        pipeline: (holder) => [
          { $match: { followingId: holder } },
          { $group: { _id: '$followingId', followers: count } },
        ],
      },
      {
        collection: 'follows',
        counters: ['following'],
        pipeline: (holder) => [
          { $match: { followerId: holder } },
          { $group: { _id: '$followerId', following: count } },
        ],
      },
      {
        collection: 'posts',
        counters: ['posts', 'likesReceived'],
        pipeline: (holder) => [
          { $match: { authorId: holder, isListed: true } },
          { $group: { _id: '$authorId', posts: count, likesReceived: { $sum: '$stats.likesCount' } } },
        ],
      },
    ],
    derive: ({ posts = 0, likesReceived = 0 }) => {
      const likesPerPost = posts === 0 ? 0 : likesReceived / posts;
      return { likesPerPost, likesTier: likesTier(likesPerPost) };
    },
  },
];
