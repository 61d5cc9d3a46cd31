import { Injectable } from '@nestjs/common';
import type { Collection, Document, ObjectId } from 'mongodb';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { BACKGROUND } from '../platform/mongo/slow-query/command-monitor.js';
import { type Post, PostSchema } from './post.schema.js';

/** Fields for the formula and the comparison. The server copies whole fields unchanged. */
const SCORED_FIELDS = { stats: 1, visitors: 1, rank: 1, isListed: 1, createdAt: 1, contentEditedAt: 1 } as const;

export type ScoredPost = Pick<Post, '_id' | keyof typeof SCORED_FIELDS>;

/** Changed ranks of a post, by path. */
export type RankChange = { _id: ObjectId; fields: Record<string, number> };

/** Reads the inputs of the score formula, and writes the ranks of posts. */
@Injectable()
export class PostRanksService {
  private readonly posts: Collection<Post>;

  constructor(mongo: MongoService) {
    this.posts = mongo.collection(PostSchema);
  }

  /**
   * Streams every published post in natural order, because a scan by _id costs three times as much. Includes hidden and deleted posts, which may
   * return to lists, but no drafts, because a run must not overwrite the rank of a concurrent publication. A loop that ends early closes
   * the cursor.
   */
  streamScored(): AsyncIterable<ScoredPost> {
    const options = { projection: SCORED_FIELDS, hint: { $natural: 1 }, batchSize: 1_000, comment: BACKGROUND };
    return this.posts.find<ScoredPost>({ isDraft: { $ne: true } }, options);
  }

  /** Writes ranks in one unordered, idempotent bulk write, which the fence may reject as a whole. Does not change `updatedAt`. */
  async applyRanks(changes: readonly RankChange[], fence: { let: Document; maxTimeMS: number }): Promise<void> {
    const writes = changes.map(({ _id, fields }) => ({ updateOne: { filter: { _id }, update: { $set: fields } } }));
    await this.posts.bulkWrite(writes, { ordered: false, comment: BACKGROUND, ...fence });
  }
}
