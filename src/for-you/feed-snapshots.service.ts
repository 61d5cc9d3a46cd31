import { Injectable } from '@nestjs/common';
import { BSON, type Collection, ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { findRaw } from '../platform/mongo/raw-read.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { type FeedSnapshot, FeedSnapshotSchema, MAX_SNAPSHOTS, SNAPSHOTS } from './feed-snapshot.schema.js';
import type { Ranked } from './rank-candidates.js';

/** Stores the personal feeds that cursors page through. */
@Injectable()
export class FeedSnapshotsService {
  private readonly rows: Collection<FeedSnapshot>;

  constructor(private readonly mongo: MongoService) {
    this.rows = mongo.collection(FeedSnapshotSchema);
  }

  /** Stores a snapshot in place of the oldest one. Concurrent requests may store a few more, until the next one. */
  async create(_id: ObjectId, userId: ObjectId, ranked: readonly Ranked[]): Promise<void> {
    const newest = { projection: { _id: 1 }, sort: { _id: -1 }, skip: MAX_SNAPSHOTS - 1 } as const;
    const old = await this.rows.find({ userId }, newest).toArray();
    if (old.length > 0) await this.rows.deleteMany({ _id: { $in: old.map((row) => row._id) } });
    const ids = ranked.map(({ id }) => ObjectId.createFromHexString(id));
    const reasons = ranked.map(({ reason }) => reason);
    await this.rows.insertOne({ _id, userId, ids, reasons, createdAt: new Date() });
  }

  /** Returns at most `count` posts from a position. @throws CodedError `cursor_expired` */
  async read(_id: ObjectId, userId: ObjectId, from: number, count: number): Promise<Ranked[]> {
    const slice = { $slice: [from, count] };
    const find = { filter: { _id, userId }, projection: { ids: slice, reasons: slice }, limit: 1 };
    const { buffer, offsets } = await findRaw(this.mongo.db, SNAPSHOTS, find);
    if (offsets.length === 0) throw expired();
    const row = BSON.deserialize(buffer, {
      allowObjectSmallerThanBufferSize: true,
      index: offsets[0]!,
    }) as FeedSnapshot;
    return row.ids.map((id, at) => ({ id: id.toHexString(), reason: row.reasons[at]! }));
  }

  async deleteOf(userId: ObjectId, tx: Transaction): Promise<void> {
    await this.rows.deleteMany({ userId }, { session: tx.session });
  }
}

function expired(): CodedError {
  const message = 'belongs to a feed that is no longer stored; start again from the first page';
  return new CodedError('cursor_expired', 'The feed of this cursor has expired. Start again at the first page.', {
    fields: [{ field: 'cursor', message }],
  });
}
