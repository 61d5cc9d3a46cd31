import type { ClientSession, ReadPreference } from 'mongodb';
import type { Model, QueryFilter, QueryOptions, Schema } from 'mongoose';

/** The fields to read in addition to `_id`. A dotted path selects its top-level field. */
export type Projection<Row> = { readonly [Path in FieldOf<Row> | `${FieldOf<Row>}.${string}`]?: 1 };

/** A row with these fields. */
export type Projected<Row, Fields> = Pick<Row, Extract<keyof Row, '_id' | RootOf<keyof Fields>>>;

export type ReadOptions = {
  session?: ClientSession;
  sort?: Readonly<Record<string, 1 | -1>>;
  skip?: number;
  limit?: number;
  hint?: Readonly<Record<string, 1 | -1>>;
  batchSize?: number;
  /** Mongoose passes the object to the driver, although the type allows only names of modes. */
  readPreference?: ReadPreference;
  readConcern?: { level: 'majority' };
  maxTimeMS?: number;
  comment?: string;
};

type AllFields<Row, Except> = { readonly [Field in Exclude<FieldOf<Row>, '_id' | Except>]: 1 };

/** Returns a projection of the whole row without `except`. Reads of accounts name each field instead, so that they never read a new secret. */
export function allFields<Row, Except extends keyof Row & string = never>(
  schema: Schema<Row>,
  ...except: Except[]
): AllFields<Row, Except> {
  const fields = new Set(Object.keys(schema.paths).map((path) => path.split('.')[0]!));
  for (const field of ['_id', ...except]) fields.delete(field);
  return Object.fromEntries([...fields].map((field) => [field, 1])) as AllFields<Row, Except>;
}

type FieldOf<Row> = keyof Row & string;
type RootOf<Path> = Path extends `${infer Root}.${string}` ? Root : Path;

/** Returns a plain object with the named fields, or null. Creating a mongoose document would cost more than the read. */
export async function findOne<Row, const Fields extends Projection<Row>>(
  model: Model<Row>,
  filter: QueryFilter<Row>,
  fields: Fields,
  options: ReadOptions = {},
): Promise<Projected<Row, Fields> | null> {
  return model
    .findOne(filter, fields, options as QueryOptions<Row>)
    .lean<Projected<Row, Fields> | null>()
    .exec();
}

/** As `findOne`, for an array of rows. */
export async function findMany<Row, const Fields extends Projection<Row>>(
  model: Model<Row>,
  filter: QueryFilter<Row>,
  fields: Fields,
  options: ReadOptions = {},
): Promise<Projected<Row, Fields>[]> {
  return model
    .find(filter, fields, options as QueryOptions<Row>)
    .lean<Projected<Row, Fields>[]>()
    .exec();
}

/** As `findMany`, but streams the rows: memory holds at most two batches. */
export async function* streamMany<Row, const Fields extends Projection<Row>>(
  model: Model<Row>,
  filter: QueryFilter<Row>,
  fields: Fields,
  options: ReadOptions = {},
): AsyncGenerator<Projected<Row, Fields>, void, undefined> {
  const cursor = model
    .find(filter, fields, options as QueryOptions<Row>)
    .lean<Projected<Row, Fields>[]>()
    .cursor();
  try {
    yield* cursor;
  } finally {
    // Mongoose's iterator does not close the cursor when the consumer breaks out of the loop.
    await cursor.close();
  }
}

type ReadAfter<Row> = (last: Row | null, limit: number) => Promise<Row[]>;

/**
 * Streams the rows of a list in arrays of `size`. No cursor stays open while the consumer is slow.
 * @param read returns the next `limit` rows after `last`, fewer only at the end
 */
export async function* streamBatches<Row>(size: number, read: ReadAfter<Row>): AsyncGenerator<Row[], void, undefined> {
  for (let last: Row | null = null; ;) {
    const rows: Row[] = await read(last, size);
    if (rows.length > 0) yield rows;
    if (rows.length < size) return;
    last = rows[rows.length - 1]!;
  }
}

/** As `streamBatches`, but yields the rows one by one. */
export async function* streamRows<Row>(size: number, read: ReadAfter<Row>): AsyncGenerator<Row, void, undefined> {
  for await (const rows of streamBatches(size, read)) yield* rows;
}
