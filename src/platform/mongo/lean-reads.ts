import type { ClientSession, ReadPreference } from 'mongodb';
import type { Model, QueryFilter, QueryOptions } from 'mongoose';

/** The fields of a read, in addition to `_id`. A path stands for its top-level field. */
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
  /** mongoose passes it on unchanged, although its type allows only names of modes */
  readPreference?: ReadPreference;
  readConcern?: { level: 'majority' };
  maxTimeMS?: number;
  comment?: string;
};

type FieldOf<Row> = keyof Row & string;
type RootOf<Path> = Path extends `${infer Root}.${string}` ? Root : Path;

/** Returns plain objects, not documents: hydrating one costs more than reading it. Reads only the named fields. */
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

/** The same for many rows. */
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

/** The same for any number of rows: memory holds a batch or two. */
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
    // mongoose's iterator does not close the cursor when a loop ends early
    await cursor.close();
  }
}

/** Row after row, batch by batch, without a cursor that stays open for a slow consumer. @param read returns the rows after the last one */
export async function* inBatches<Row>(
  read: (last: Row | null) => Promise<Row[]>,
): AsyncGenerator<Row, void, undefined> {
  for (let last: Row | null = null; ;) {
    const rows = await read(last);
    if (rows.length === 0) return;
    yield* rows;
    last = rows[rows.length - 1]!;
  }
}
