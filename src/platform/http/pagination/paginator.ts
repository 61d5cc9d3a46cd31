import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import type { Model, QueryFilter } from 'mongoose';
import { CursorCodec, type CursorPosition } from '../../../common/cursor.js';
import { findMany, type Projected, type Projection, type ReadOptions } from '../../mongo/lean-reads.js';
import { fullPage } from './full-page.js';
import type { Page } from './page.js';
import type { PageQuery } from './page.query.js';

type Rows<Row, T> = {
  query: PageQuery;
  /** the route and its filters: other lists reject the cursor */
  scope: string;
  /** returns what the list shows of the rows, in their order, and null for a row that the viewer may not read; without it, the rows */
  resolve?: (rows: Row[]) => Promise<(T | null)[]>;
  /** A page that has read this number of rows may be short. */
  maxRows?: number;
};

export type List<Row, T> = Rows<Row, T> & {
  positionOf: (row: Row) => Partial<CursorPosition> & { id: string };
  /** returns the next `limit` rows after a position; null: from the start */
  read: (after: CursorPosition | null, limit: number) => Promise<Row[]>;
};

export type LatestList<Row, Fields, T> = Rows<Projected<Row, Fields>, T> & {
  filter: QueryFilter<Row>;
  fields: Fields;
  /** the ordering ObjectId, `_id` by default */
  by?: keyof Fields & string;
  hint?: NonNullable<ReadOptions['hint']>;
};

/** Reads pages of lists. A page continues at the signed cursor of the previous one. */
@Injectable()
export class Paginator {
  constructor(private readonly cursors: CursorCodec) {}

  /** Lists rows in the order of an ObjectId that grows with time, latest first. Reads one range of an index. */
  listLatest<Row, const Fields extends Projection<Row>, T = Projected<Row, Fields>>(
    model: Model<Row>,
    { filter, fields, by = '_id' as keyof Fields & string, hint, ...rows }: LatestList<Row, Fields, T>,
  ): Promise<Page<T>> {
    type ListedRow = Projected<Row, Fields>;
    const order = { sort: { [by]: -1 }, ...(hint && { hint }) } as const;
    return this.list<ListedRow, T>({
      ...rows,
      positionOf: (row) => ({ id: (row as Record<string, ObjectId>)[by]!.toHexString() }),
      read: (after, limit) => {
        const range = after === null ? filter : { ...filter, [by]: { $lt: ObjectId.createFromHexString(after.id) } };
        return findMany(model, range, fields, { ...order, limit });
      },
    });
  }

  /** Lists rows in any order. @throws CodedError `invalid_cursor` */
  async list<Row, T = Row>(list: List<Row, T>): Promise<Page<T>> {
    const { query, scope, positionOf, read, resolve = async (rows) => rows as unknown as T[], maxRows } = list;
    const start = this.cursors.decode(scope, query.cursor);
    return fullPage<Row, T>(
      query.limit,
      (last, limit) => read(last === null ? start : { epoch: 0, value: 0, ...positionOf(last) }, limit),
      resolve,
      (row) => this.cursors.encode(scope, positionOf(row)),
      maxRows,
    );
  }
}
