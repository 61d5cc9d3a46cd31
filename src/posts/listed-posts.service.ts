import { Injectable } from '@nestjs/common';
import type { Collection } from 'mongodb';
import {
  batchesOf,
  countByMonth,
  LISTING_BATCH,
  type Month,
  type MonthCount,
  timesIn,
} from '../platform/mongo/months.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { LATEST } from './latest.js';
import { type PostRow, POSTS } from './post-row.js';
import { READABLE_BY_ALL } from './visibility.js';

export type ListedPost = { slug: string; changedAt: Date };

/** All posts that everyone may read, by the month of their publication: a month that is over stays as it is, but for edits. */
@Injectable()
export class ListedPosts {
  private readonly posts: Collection<PostRow>;

  constructor(private readonly mongo: MongoService) {
    this.posts = mongo.collection<PostRow>(POSTS);
  }

  countByMonth(): Promise<MonthCount[]> {
    return countByMonth(this.mongo.db, POSTS, { filter: READABLE_BY_ALL, date: '$createdAt', hint: LATEST });
  }

  /** The oldest first, some at a time. */
  inMonth(month: Month, skip: number, limit: number): AsyncGenerator<ListedPost[], void, undefined> {
    const filter = { ...READABLE_BY_ALL, createdAt: timesIn(month) };
    const order = { sort: { createdAt: 1, _id: 1 }, hint: LATEST } as const;
    const projection = { slug: 1, contentEditedAt: 1 };
    const rows = this.posts.find(filter, { projection, ...order, skip, limit, batchSize: LISTING_BATCH });
    return batchesOf(rows, ({ _id, slug, contentEditedAt: changedAt }) => ({
      slug: `${slug}-${_id.toHexString()}`,
      changedAt,
    }));
  }

  /** The most used ones first. Looks at each post. */
  async tags(limit: number): Promise<string[]> {
    const pipeline = [
      { $match: READABLE_BY_ALL },
      { $project: { _id: 0, tags: 1 } },
      { $unwind: '$tags' },
      { $group: { _id: '$tags', count: { $sum: 1 } } },
      { $sort: { count: -1, _id: 1 } },
      { $limit: limit },
    ];
    const found = await this.posts.aggregate<{ _id: string }>(pipeline, { hint: LATEST }).toArray();
    return found.map(({ _id }) => _id);
  }
}
