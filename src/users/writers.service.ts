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
import { type UserRow, USERS } from './user-row.js';
import { BY_TIER, HAS_PUBLISHED } from './users.service.js';

/** All who have published, by the month in which their account was made. */
@Injectable()
export class Writers {
  private readonly users: Collection<UserRow>;

  constructor(private readonly mongo: MongoService) {
    this.users = mongo.collection<UserRow>(USERS);
  }

  countByMonth(): Promise<MonthCount[]> {
    return countByMonth(this.mongo.db, USERS, { filter: HAS_PUBLISHED, date: { $toDate: '$_id' }, hint: BY_TIER });
  }

  /** Their names, some at a time: the oldest first, sorted in memory: the index that has them is in the order of tiers. */
  inMonth(month: Month, skip: number, limit: number): AsyncGenerator<string[], void, undefined> {
    const order = { sort: { _id: 1 }, hint: BY_TIER } as const;
    const options = { projection: { username: 1 }, ...order, skip, limit, batchSize: LISTING_BATCH };
    const rows = this.users.find({ ...HAS_PUBLISHED, _id: idsIn(month) }, options);
    return batchesOf(rows, ({ username }) => username);
  }
}
