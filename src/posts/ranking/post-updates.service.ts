import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ClientSession, Document, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import type { UpdateStatement } from '../../platform/mongo/batch-commands.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import type { PostRow } from '../post-row.js';
import { POST_MODEL } from '../post.schema.js';
import { SCORED_COUNTERS } from './score.js';
import { ScoreDirtySet } from './score-dirty-set.service.js';

/** What is hidden is not due by time, so a post that is hidden or listed again has to be looked at, too. */
const SCORED_PATHS = new Set([
  ...SCORED_COUNTERS.map((counter) => `stats.${counter}`),
  ...['visitors.reads', 'visitors.shares', 'visitors.likes', 'visitors.dislikes', 'contentEditedAt', 'isListed'],
]);

/**
 * The one way to change a counter or another field of a post: what changes its score also puts it into the dirty set, in the same
 * transaction. A change that went past this would stay out of the ranking for up to a day.
 */
@Injectable()
export class PostUpdates {
  constructor(
    private readonly mongo: MongoService,
    private readonly dirtySet: ScoreDirtySet,
    @InjectModel(POST_MODEL) private readonly posts: Model<PostRow>,
  ) {}

  /** Fields of one post, held to its schema. */
  async set(id: ObjectId, fields: Partial<PostRow> | Record<string, number>, session: ClientSession): Promise<void> {
    await this.posts.updateOne({ _id: id }, { $set: fields }, { session, runValidators: true }).exec();
    if (changesScore({ $set: fields })) await this.dirtySet.add([id.toHexString()], session);
  }

  /** Statements by `_id`, of a group commit; returns how many posts they found. */
  async applyBatch(statements: UpdateStatement[], session: ClientSession): Promise<number> {
    const changed = statements.filter(({ u }) => changesScore(u)).flatMap(idsOf);
    const [found] = await Promise.all([
      this.mongo.batch.update(this.posts.collection, statements, session),
      this.dirtySet.add([...new Set(changed)], session),
    ]);
    return found;
  }
}

function changesScore(update: Document): boolean {
  for (const operator in update) for (const path in update[operator]) if (SCORED_PATHS.has(path)) return true;
  return false;
}

function idsOf({ q }: UpdateStatement): string[] {
  const id = q['_id'] as ObjectId | { $in: ObjectId[] };
  return '$in' in id ? id.$in.map((one) => one.toHexString()) : [id.toHexString()];
}
