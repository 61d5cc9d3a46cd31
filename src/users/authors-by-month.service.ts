import { Injectable } from '@nestjs/common';
import { MonthlyListing } from '../platform/mongo/months.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { type User, USERS } from './user.schema.js';
import { BY_TIER, HAS_PUBLISHED } from './users.service.js';

/** Lists the usernames of published authors by the month in which their account was created. */
@Injectable()
export class AuthorsByMonthService extends MonthlyListing<User, string> {
  constructor(mongo: MongoService) {
    super(mongo, {
      collection: USERS,
      filter: HAS_PUBLISHED,
      by: '_id',
      // This index has the order of tiers, so a month is sorted in memory.
      hint: BY_TIER,
      projection: { username: 1 },
      shape: ({ username }) => username,
    });
  }
}
