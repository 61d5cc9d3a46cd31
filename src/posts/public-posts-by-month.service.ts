import { Injectable } from '@nestjs/common';
import type { Collection } from 'mongodb';
import { MonthlyListing } from '../platform/mongo/months.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { type Post, PostSchema } from './post.schema.js';
import { LATEST } from './publication-order.js';
import { POSTS } from './post-counters.js';
import { LISTED } from './visibility.js';

export type ListedPost = { slug: string; changedAt: Date; canonicalUrl: string | null };

/** Lists all public posts by month of publication. Only edits and deletions change a past month. */
@Injectable()
export class PublicPostsByMonthService extends MonthlyListing<Post, ListedPost> {
  private readonly posts: Collection<Post>;

  constructor(mongo: MongoService) {
    super(mongo, {
      collection: POSTS,
      filter: LISTED,
      by: 'createdAt',
      hint: LATEST,
      projection: { slug: 1, contentEditedAt: 1, canonicalUrl: 1 },
      shape: ({ _id, slug, contentEditedAt: changedAt, canonicalUrl = null }) => ({
        slug: `${slug}-${_id.toHexString()}`,
        changedAt,
        canonicalUrl,
      }),
    });
    this.posts = mongo.collection(PostSchema);
  }

  /** Returns the most used tags first. Reads every post. */
  async tags(limit: number): Promise<string[]> {
    const pipeline = [
      { $match: LISTED },
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
