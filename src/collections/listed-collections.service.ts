import { Injectable } from '@nestjs/common';
import type { Collection } from 'mongodb';
import {
  batchesOf,
  countByMonth,
  idsIn,
  LISTING_BATCH,
  type Month,
  type MonthCount,
} from '../platform/mongo/months.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { COLLECTIONS, type CollectionRow } from './collection-row.js';
import { COLLECTION_LISTS } from './collection.schema.js';

const LISTED = { isListed: true } as const;

/** All public collections, by the month in which they were made. */
@Injectable()
export class ListedCollections {
  private readonly collections: Collection<CollectionRow>;

  constructor(private readonly mongo: MongoService) {
    this.collections = mongo.collection<CollectionRow>(COLLECTIONS);
  }

  countByMonth(): Promise<MonthCount[]> {
    const query = { filter: LISTED, date: { $toDate: '$_id' }, hint: COLLECTION_LISTS.latest };
    return countByMonth(this.mongo.db, COLLECTIONS, query);
  }

  /** Their slugs, some at a time, the oldest first. */
  inMonth(month: Month, skip: number, limit: number): AsyncGenerator<string[], void, undefined> {
    const order = { sort: { _id: 1 }, hint: COLLECTION_LISTS.latest } as const;
    const options = { projection: { slug: 1 }, ...order, skip, limit, batchSize: LISTING_BATCH };
    const rows = this.collections.find({ ...LISTED, _id: idsIn(month) }, options);
    return batchesOf(rows, ({ _id, slug }) => `${slug}-${_id.toHexString()}`);
  }
}
