import type { CountedCollection, CounterSource } from '../audit/counter-registry.js';
import { daysOf, eventsOf, windowsOf } from '../views/event-keys.js';
import { EVENT_COUNTERS } from '../views/post-event.schema.js';
import { VISITOR_COUNTERS } from './score.js';
import { READABLE_BY_ALL } from './visibility.js';
import { POST_EVENT_DAYS, POST_EVENTS, POSTS } from './post-row.js';

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
  mayLack: VISITOR_COUNTERS,
};

/** A post's counters of events are its days and its recent events. */
export const EVENT_SOURCES: CounterSource[] = [
  {
    collection: POST_EVENT_DAYS,
    counters: EVENT_COUNTERS,
    pipeline: (holders) => [
      { $match: daysOf(holders) },
      {
        $group: { _id: '$postId', ...Object.fromEntries(EVENT_COUNTERS.map((name) => [name, { $sum: `$${name}` }])) },
      },
    ],
  },
  {
    collection: POST_EVENTS,
    counters: EVENT_COUNTERS,
    pipeline: async (holders, { db, session }) => {
      // an event's id begins with the end of its window and the post: one range for each window that has events
      const windows = await windowsOf(db.collection(POST_EVENTS), session);
      const ranges = windows.map((endsAt) => eventsOf(holders, endsAt));
      return [
        { $match: ranges.length === 0 ? { _id: { $in: [] } } : { $or: ranges } },
        {
          $group: {
            _id: '$postId',
            views: countOf('view'),
            reads: countOf('read'),
            shares: countOf('share'),
            visitorReads: countOf('read', { $eq: ['$isVisitor', true] }),
            visitorShares: countOf('share', { $eq: ['$isVisitor', true] }),
          },
        },
      ];
    },
  },
];

/** What an author has published, and the likes of it: the sum of what those posts say. */
export const PUBLISHED: CounterSource = {
  collection: POSTS,
  counters: ['posts', 'likesReceived'],
  pipeline: (holders) => [
    { $match: { authorId: holders, ...READABLE_BY_ALL } },
    { $group: { _id: '$authorId', posts: { $sum: 1 }, likesReceived: { $sum: '$stats.likesCount' } } },
  ],
};

function countOf(kind: string, ...conditions: object[]): object {
  return { $sum: { $cond: [{ $and: [{ $eq: ['$kind', kind] }, ...conditions] }, 1, 0] } };
}
