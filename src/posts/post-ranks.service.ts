import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Document, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { BACKGROUND } from '../platform/mongo/slow-query/command-monitor.js';
import { Post } from './post.schema.js';

/** The fields for the formula and the comparison; whole fields, which the server copies unchanged. */
const SCORED_FIELDS = { stats: 1, visitors: 1, rank: 1, createdAt: 1, contentEditedAt: 1 } as const;

export type ScoredPost = Pick<Post, '_id' | keyof typeof SCORED_FIELDS>;

/** Changed ranks of a post, by path. */
export type RankChange = { _id: ObjectId; fields: Record<string, number> };

/** The posts for the score job: the inputs of the formula, and their ranks. */
@Injectable()
export class PostRanks {
  constructor(@InjectModel(Post.name) private readonly posts: Model<Post>) {}

  /**
   * Every published post, in natural order: the same scan by _id costs three times as much. Hidden posts are included, so that their ranks
   * are current when they are shown again. A draft is ranked when it is published, and a run that read it before must not overwrite that
   * rank. A loop that ends early closes the cursor.
   */
  streamScored(): AsyncIterable<ScoredPost> {
    const options = { projection: SCORED_FIELDS, hint: { $natural: 1 }, batchSize: 1_000, comment: BACKGROUND };
    return this.posts.collection.find<ScoredPost>({ deletedAt: null, isDraft: { $ne: true } }, options);
  }

  /** One unordered bulk write, which the fence may refuse as a whole; keeps `updatedAt`. Idempotent. */
  async applyRanks(changes: readonly RankChange[], fence: { let: Document; maxTimeMS: number }): Promise<void> {
    const writes = changes.map(({ _id, fields }) => ({ updateOne: { filter: { _id }, update: { $set: fields } } }));
    await this.posts.collection.bulkWrite(writes, { ordered: false, comment: BACKGROUND, ...fence });
  }
}
