import { type Document, type Filter, type FindCursor, ObjectId, type Sort, type WithId } from 'mongodb';
import type { MongoService } from './mongo.service.js';

/** `2026-05`, in UTC */
export type Month = string;

/** Documents per batch, so that a listing does not block the event loop for long. */
const LISTING_BATCH = 500;

export type MonthCount = { month: Month; count: number };

export function monthOf(date: Date): Month {
  return date.toISOString().slice(0, 7);
}

/** The half-open range of times in a month. */
function timesIn(month: Month): { $gte: Date; $lt: Date } {
  const from = new Date(`${month}-01T00:00:00Z`);
  const to = new Date(from);
  to.setUTCMonth(to.getUTCMonth() + 1);
  return { $gte: from, $lt: to };
}

/** The range of ids created in a month. */
function idsIn(month: Month): { $gte: ObjectId; $lt: ObjectId } {
  const { $gte, $lt } = timesIn(month);
  const first = (date: Date): ObjectId => ObjectId.createFromTime(date.getTime() / 1_000);
  return { $gte: first($gte), $lt: first($lt) };
}

/** Yields batches, because a promise for each row would cost more than reading it. */
async function* batchesOf<Row, T>(
  cursor: FindCursor<Row>,
  shape: (row: Row) => T,
): AsyncGenerator<T[], void, undefined> {
  try {
    while (await cursor.hasNext()) yield cursor.readBufferedDocuments().map(shape);
  } finally {
    await cursor.close();
  }
}

type Listing<Row extends Document, T> = {
  collection: string;
  filter: Filter<Row>;
  /** field that assigns a document to a month: `createdAt`, or the time of `_id` */
  by: '_id' | 'createdAt';
  hint: Document;
  projection: { [Field in keyof Row]?: 1 };
  shape: (row: WithId<Row>) => T;
};

/** Lists all documents of a filter by month. */
export class MonthlyListing<Row extends Document, T> {
  constructor(
    private readonly mongo: MongoService,
    private readonly listing: Listing<Row, T>,
  ) {}

  /** Returns the number of documents per month, oldest month first. Scans all of them. */
  async countByMonth(): Promise<MonthCount[]> {
    const { collection, filter, by, hint } = this.listing;
    const date = by === '_id' ? { $toDate: '$_id' } : `$${by}`;
    const pipeline = [
      { $match: filter },
      { $group: { _id: { $dateToString: { format: '%Y-%m', date } }, count: { $sum: 1 } } },
      { $sort: { _id: 1 } },
    ];
    const groups = await this.mongo
      .collection(collection)
      .aggregate<{ _id: Month; count: number }>(pipeline, { hint })
      .toArray();
    return groups.map(({ _id: month, count }) => ({ month, count }));
  }

  /** Streams the documents of a month in batches, oldest first. */
  inMonth(month: Month, skip: number, limit: number): AsyncGenerator<T[], void, undefined> {
    const { collection, filter, by, hint, projection, shape } = this.listing;
    const range = { [by]: by === '_id' ? idsIn(month) : timesIn(month) };
    const sort: Sort = by === '_id' ? { _id: 1 } : { [by]: 1, _id: 1 };
    const rows = this.mongo
      .collection<Row>(collection)
      .find({ ...filter, ...range }, { projection, sort, hint, skip, limit, batchSize: LISTING_BATCH });
    return batchesOf(rows, shape);
  }
}
