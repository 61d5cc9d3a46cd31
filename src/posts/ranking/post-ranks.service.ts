import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { BACKGROUND } from '../../platform/mongo/slow-query/command-monitor.js';
import { findMany } from '../../platform/mongo/lean-reads.js';
import type { Fence } from '../../platform/mongo/lease.service.js';
import type { PostRow } from '../post-row.js';
import { POST_MODEL } from '../post.schema.js';
import { type RankDiff, SCORED_FIELDS, type ScoredPost } from './rank-diff.js';
import { DUE_INDEX } from './rank-indexes.service.js';

const BATCH_SIZE = 1_000;
const PUBLISHED = { deletedAt: null, isDraft: { $ne: true } } as const;

/** Posts as the score job sees them: what they are scored by, and their ranks. */
@Injectable()
export class PostRanks {
  constructor(@InjectModel(POST_MODEL) private readonly posts: Model<PostRow>) {}

  estimateCount(): Promise<number> {
    return this.posts.estimatedDocumentCount().exec();
  }

  /**
   * Every post that was published, in natural order: by _id the same scan costs three times as much. Hidden ones are among them: one that
   * is shown again must not have the rank that it was hidden with. A draft is ranked when it is published, and a run that had read it
   * before must not put the rank of its creation in that place.
   */
  streamScored(): AsyncIterable<ScoredPost> {
    return this.stream(PUBLISHED, { $natural: 1 });
  }

  /** Listed posts whose rank has moved with the time. */
  streamDue(now: Date): AsyncIterable<ScoredPost> {
    return this.stream(dueBy(now), DUE_INDEX);
  }

  /** At most `limit`. */
  countDue(now: Date, limit: number): Promise<number> {
    return this.posts.countDocuments(dueBy(now), { hint: DUE_INDEX, limit, comment: BACKGROUND }).exec();
  }

  /** Those among `ids` that were published, and are not deleted. */
  findScored(ids: readonly ObjectId[]): Promise<ScoredPost[]> {
    const options = { hint: { _id: 1 }, comment: BACKGROUND } as const;
    return findMany(this.posts, { _id: { $in: [...ids] }, ...PUBLISHED }, SCORED_FIELDS, options);
  }

  /** Random, because posts that follow each other in the collection are of one age, and the young move more. */
  sampleScored(size: number): Promise<ScoredPost[]> {
    const stages = [{ $sample: { size } }, { $match: { isListed: true } }, { $project: SCORED_FIELDS }];
    return this.posts.aggregate<ScoredPost>(stages).option({ comment: BACKGROUND }).exec();
  }

  /**
   * One unordered bulk write, refused as a whole after the lease; `updatedAt` stays. Repeating it changes nothing.
   */
  async applyRanks(diffs: readonly RankDiff[], fence: ReturnType<Fence['fields']>): Promise<void> {
    const writes = diffs.map(({ _id, changes }) => ({ updateOne: { filter: { _id }, update: { $set: changes } } }));
    const options = { ordered: false, comment: BACKGROUND };
    await this.posts.collection.bulkWrite(writes, { ...options, ...fence });
  }

  /** The driver's cursor, which a loop that ends early closes. */
  private stream(
    filter: ReturnType<typeof dueBy> | typeof PUBLISHED,
    hint: Record<string, 1 | -1>,
  ): AsyncIterable<ScoredPost> {
    const options = { projection: SCORED_FIELDS, hint, batchSize: BATCH_SIZE, comment: BACKGROUND };
    return this.posts.collection.find<ScoredPost>(filter, options);
  }
}

function dueBy(now: Date) {
  return { isListed: true, 'rank.due': { $lte: now } } as const;
}
