import { Injectable } from '@nestjs/common';
import { type Collection, ObjectId } from 'mongodb';
import { BatchLoader } from '../common/batch-loader.js';
import { CodedError } from '../common/errors.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { decodeAll, findRaw } from '../platform/mongo/raw-read.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { type FeedSnapshot, FeedSnapshotSchema, MAX_SNAPSHOTS, SNAPSHOTS } from './feed-snapshot.schema.js';

/** A lost snapshot only ends a cursor. */
const UNJOURNALED = { writeConcern: { w: 1, journal: false } } as const;

/** Stores the personal feeds that cursors page through. */
@Injectable()
export class FeedSnapshotsService {
  private readonly rows: Collection<FeedSnapshot>;
  private readonly reads = new BatchLoader<string>({ read: (keys) => this.readAll(keys) });

  constructor(private readonly mongo: MongoService) {
    this.rows = mongo.collection(FeedSnapshotSchema);
  }

  /**
   * Stores a feed in place of the third newest one. Concurrent requests may store a few more, until they expire.
   * @param newest the rows of `newestSnapshots`, read before
   */
  async create(
    { userId, ...fields }: Pick<FeedSnapshot, 'userId' | 'feedId' | 'posts'>,
    newest: readonly Pick<FeedSnapshot, '_id' | 'feedId'>[],
  ): Promise<void> {
    const feed = { ...fields, createdAt: new Date() };
    // Another request may have replaced it.
    const oldest = newest[MAX_SNAPSHOTS - 1];
    const replaced = oldest && (await this.rows.updateOne(oldest, { $set: feed }, UNJOURNALED));
    if (!replaced?.matchedCount) await this.rows.insertOne({ _id: new ObjectId(), userId, ...feed }, UNJOURNALED);
  }

  /** Returns the feed as `encodeFeed` wrote it. Concurrent calls share a round trip. @throws CodedError `cursor_expired` */
  async get(userId: string, feedId: string): Promise<string> {
    return (await this.reads.get(userId + feedId)) ?? expired();
  }

  async deleteOf(userId: ObjectId, tx: Transaction): Promise<void> {
    await this.rows.deleteMany({ userId }, { session: tx.session });
  }

  private async readAll(keys: string[]): Promise<Map<string, string>> {
    const among = (from: number) => ({
      $in: keys.map((key) => ObjectId.createFromHexString(key.slice(from, from + 24))),
    });
    const find = {
      filter: { userId: among(0), feedId: among(24) },
      projection: { _id: 0, createdAt: 0 },
      limit: keys.length,
    };
    const rows = decodeAll<FeedSnapshot>(await findRaw(this.mongo.db, SNAPSHOTS, find));
    return new Map(rows.map((row) => [row.userId.toHexString() + row.feedId.toHexString(), row.posts]));
  }
}

function expired(): never {
  const message = 'belongs to a feed that is no longer stored; start again from the first page';
  throw new CodedError('cursor_expired', 'The feed of this cursor has expired. Start again at the first page.', {
    fields: [{ field: 'cursor', message }],
  });
}
