import { Injectable } from '@nestjs/common';
import { MonthlyListing } from '../platform/mongo/months.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { type UserRow, USERS } from './user-row.js';
import { BY_TIER, HAS_PUBLISHED } from './users.service.js';

/** The names of all published authors, by the month in which their account was created. */
@Injectable()
export class Writers extends MonthlyListing<UserRow, string> {
  constructor(mongo: MongoService) {
    super(mongo, {
      collection: USERS,
      filter: HAS_PUBLISHED,
      by: '_id',
      // in the order of tiers: a month is sorted in memory
      hint: BY_TIER,
      projection: { username: 1 },
      shape: ({ username }) => username,
    });
  }
}
