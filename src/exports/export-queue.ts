import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type ClientSession, ObjectId } from 'mongodb';
import type { Model, QueryFilter } from 'mongoose';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import { EXPORT_MODEL, type ExportRow } from './export.schema.js';

const FIELDS = {
  userId: 1,
  day: 1,
  state: 1,
  attempts: 1,
  bytes: 1,
  createdAt: 1,
  expiresAt: 1,
} as const satisfies Record<Exclude<keyof ExportRow, '_id'>, 1>;
const SWEPT_AT_ONCE = 20;

/** The rows of exports. */
@Injectable()
export class ExportQueue {
  constructor(@InjectModel(EXPORT_MODEL) private readonly exports: Model<ExportRow>) {}

  async add(row: ExportRow, session: ClientSession): Promise<void> {
    await this.exports.insertOne(row, { session });
  }

  async find(filter: QueryFilter<ExportRow>): Promise<ExportRow | null> {
    return findOne(this.exports, filter, FIELDS);
  }

  /** The oldest that waits; an earlier attempt that was killed waits, too. */
  next(): Promise<ExportRow | null> {
    return findOne(this.exports, { state: 'waiting' }, FIELDS, { sort: { _id: 1 } });
  }

  async findExpired(): Promise<ObjectId[]> {
    const rows = await findMany(
      this.exports,
      { expiresAt: { $lte: new Date() } },
      { _id: 1 },
      { limit: SWEPT_AT_ONCE },
    );
    return rows.map(({ _id }) => _id);
  }

  async findOf(userId: ObjectId): Promise<ObjectId[]> {
    return (await findMany(this.exports, { userId }, { _id: 1 })).map(({ _id }) => _id);
  }

  /** False when it is gone: its account has ended. */
  async change(_id: ObjectId, change: Partial<ExportRow>, session?: ClientSession): Promise<boolean> {
    const { matchedCount } = await this.exports.updateOne({ _id }, { $set: change }, { session, runValidators: true });
    return matchedCount === 1;
  }

  async remove(_id: ObjectId): Promise<void> {
    await this.exports.deleteOne({ _id });
  }
}
