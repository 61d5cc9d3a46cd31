import type { AggregateOptions, Db, Document, ObjectId } from 'mongodb';
import { AUTHOR_DAYS } from './author-day.schema.js';
import { dayAt } from './stat-buckets.js';
import {
  MAX_TOP_WRITERS,
  WRITER_LISTS,
  WRITER_WINDOWS,
  type WriterList,
  type WriterWindow,
} from './writer-list.schema.js';

const DAY_MS = 86_400_000;
const DAYS: Record<WriterWindow, number> = { week: 7, month: 30, year: 365 };
/** Reads and shares do not count, because visitors can send them at no cost. */
const WEIGHTS = { views: 1, likes: 4, comments: 6, follows: 8 } as const;

/** Writes the top writers of each window up to `now`. Reads the days of a year once. Accounts that lists omit are left to readers. */
export async function listWriters(db: Db, now: number, options: AggregateOptions = {}): Promise<void> {
  const firstDay = (window: WriterWindow): string => dayAt(now - (DAYS[window] - 1) * DAY_MS);
  const ofEach = (value: (window: WriterWindow) => Document): Document =>
    Object.fromEntries(WRITER_WINDOWS.map((window) => [window, value(window)]));
  const score = { $add: Object.entries(WEIGHTS).map(([name, weight]) => ({ $multiply: [`$${name}`, weight] })) };
  const pipeline = [
    { $match: { day: { $gte: firstDay('year'), $lte: dayAt(now) } } },
    {
      $group: {
        _id: '$authorId',
        ...ofEach((window) => ({ $sum: { $cond: [{ $gte: ['$day', firstDay(window)] }, score, 0] } })),
      },
    },
    {
      $group: {
        _id: null,
        ...ofEach((window) => ({
          $topN: {
            n: MAX_TOP_WRITERS,
            sortBy: { [window]: -1, _id: -1 },
            output: { id: '$_id', score: `$${window}` },
          },
        })),
      },
    },
  ];
  const [row] = await db.collection(AUTHOR_DAYS).aggregate(pipeline, options).toArray();
  for (const _id of WRITER_WINDOWS) {
    const writers = (row?.[_id] ?? []) as { id: ObjectId; score: number }[];
    const ids = writers.filter(({ score }) => score > 0).map(({ id }) => id);
    await db.collection<WriterList>(WRITER_LISTS).updateOne({ _id }, { $set: { ids } }, { upsert: true });
  }
}
