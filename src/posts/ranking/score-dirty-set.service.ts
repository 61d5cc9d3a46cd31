import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Binary, type ClientSession, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { BACKGROUND } from '../../platform/mongo/slow-query/command-monitor.js';
import { streamMany } from '../../platform/mongo/lean-reads.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { SCORE_DIRTY_MODEL, type ScoreDirtyRow } from './ranking.schema.js';

const ID_BYTES = 12;
/** so long a process does not add a post again that it has added */
const KNOWN_MS = 30_000;
const KNOWN_LIMIT = 50_000;
/**
 * A change may rely on a row this much older than its commit: as long as a process knows of it, and a transaction may live (60 s),
 * and the clocks of two hosts may differ (90 s).
 */
const RELIED_ON_MS = 180_000;

/**
 * What the score job has to look at besides the posts that are due: posts whose scored fields were changed (`PostUpdates`). One row for
 * all posts of a batch, none for a post that this process added a moment ago, so a hot post costs its votes nothing.
 */
@Injectable()
export class ScoreDirtySet {
  private known = new Set<string>();
  private knownSince = -Infinity;

  constructor(
    private readonly mongo: MongoService,
    @InjectModel(SCORE_DIRTY_MODEL) private readonly rows: Model<ScoreDirtyRow>,
  ) {}

  /** Inside the transaction of the change. @param postIds in hex, each once */
  async add(postIds: readonly string[], session: ClientSession): Promise<void> {
    const known = this.currentlyKnown();
    const unknown = postIds.filter((id) => !known.has(id));
    if (unknown.length === 0) return;
    const posts = new Binary(Buffer.from(unknown.join(''), 'hex'));
    const row: ScoreDirtyRow = { _id: new ObjectId(), posts, createdAt: new Date() };
    await this.mongo.batch.insert(this.rows.collection, [row], session);
    // to the set of the moment of writing: one that began later promises younger rows
    this.mongo.afterCommit(session, () => {
      for (const id of unknown) known.add(id);
    });
  }

  /** The posts added since then, by hex id; null when there are more than `limit`. */
  async read(since: Date, limit: number): Promise<Set<string> | null> {
    const posts = new Set<string>();
    const options = { comment: BACKGROUND, batchSize: 1_000 };
    for await (const row of streamMany(this.rows, { createdAt: { $gte: since } }, { posts: 1 }, options)) {
      const hex = row.posts.toString('hex');
      for (let at = 0; at < hex.length; at += 2 * ID_BYTES) posts.add(hex.slice(at, at + 2 * ID_BYTES));
      if (posts.size > limit) return null;
    }
    return posts;
  }

  /** Those that no later run reads. */
  async removeBefore(before: Date): Promise<void> {
    await this.rows.deleteMany({ createdAt: { $lt: before } }, { comment: BACKGROUND }).exec();
  }

  private currentlyKnown(): Set<string> {
    const now = performance.now();
    if (now - this.knownSince >= KNOWN_MS || this.known.size >= KNOWN_LIMIT) {
      this.known = new Set();
      this.knownSince = now;
    }
    return this.known;
  }
}

/** From where a run reads the set that follows one which began at `runBegan`. */
export function dirtyAfter(runBegan: Date): Date {
  return new Date(runBegan.getTime() - RELIED_ON_MS);
}
