import type { Db } from 'mongodb';
import type { CounterSource } from '../audit/counter-registry.js';
import type { Day } from '../audit/daily-counts.js';
import { AUTHOR_DAYS } from './author-day.schema.js';
import { daysOf, eventsOf, openWindows } from './event-keys.js';
import { EVENT_COUNTERS, POST_EVENT_DAYS, POST_EVENTS } from './post-event.schema.js';

/** Sources of a post's event counters: its days plus its recent events. */
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
      // The id of an event begins with the end of its window and the post, so each window with events is one range.
      const windows = await openWindows(db.collection(POST_EVENTS), session);
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

function countOf(kind: string, ...conditions: object[]): object {
  return { $sum: { $cond: [{ $and: [{ $eq: ['$kind', kind] }, ...conditions] }, 1, 0] } };
}

/** Returns the likes of posts that were made on a day. */
export async function countLikes(db: Db, { name: day }: Day): Promise<number> {
  const sum = [{ $match: { day } }, { $group: { _id: null, likes: { $sum: '$likes' } } }];
  const [row] = await db.collection(AUTHOR_DAYS).aggregate<{ likes: number }>(sum).toArray();
  return row?.likes ?? 0;
}
