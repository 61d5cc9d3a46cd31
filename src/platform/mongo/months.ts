import { type Db, type Document, type FindCursor, ObjectId } from 'mongodb';

/** `2026-05`, in UTC */
export type Month = string;

/** Documents read at a time by those who list a month: other work of the process comes between. */
export const LISTING_BATCH = 500;

export type MonthCount = { month: Month; count: number };

export function monthOf(date: Date): Month {
  return date.toISOString().slice(0, 7);
}

/** From the first moment of the month to before the first one of the next. */
export function timesIn(month: Month): { $gte: Date; $lt: Date } {
  const from = new Date(`${month}-01T00:00:00Z`);
  const to = new Date(from);
  to.setUTCMonth(to.getUTCMonth() + 1);
  return { $gte: from, $lt: to };
}

/** The ids that were made in it. */
export function idsIn(month: Month): { $gte: ObjectId; $lt: ObjectId } {
  const { $gte, $lt } = timesIn(month);
  const first = (date: Date): ObjectId => ObjectId.createFromTime(date.getTime() / 1_000);
  return { $gte: first($gte), $lt: first($lt) };
}

/** Rows as they arrive: a promise for each of them would cost more than to read it. */
export async function* batchesOf<Row, T>(
  cursor: FindCursor<Row>,
  shape: (row: Row) => T,
): AsyncGenerator<T[], void, undefined> {
  try {
    while (await cursor.hasNext()) yield cursor.readBufferedDocuments().map(shape);
  } finally {
    await cursor.close();
  }
}

/**
 * How many documents each month has, the oldest first. Looks at each of them.
 * @param date an expression: the time that counts
 */
export async function countByMonth(
  db: Db,
  collection: string,
  { filter, date, hint }: { filter: Document; date: Document | string; hint: Document },
): Promise<MonthCount[]> {
  const pipeline = [
    { $match: filter },
    { $group: { _id: { $dateToString: { format: '%Y-%m', date } }, count: { $sum: 1 } } },
    { $sort: { _id: 1 } },
  ];
  const groups = await db.collection(collection).aggregate<{ _id: Month; count: number }>(pipeline, { hint }).toArray();
  return groups.map(({ _id: month, count }) => ({ month, count }));
}
