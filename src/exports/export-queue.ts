import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type ClientSession, ObjectId } from 'mongodb';
import type { Model, QueryFilter } from 'mongoose';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import { Export } from './export.schema.js';

const FIELDS = {
  userId: 1,
  day: 1,
  state: 1,
  attempts: 1,
  bytes: 1,
  createdAt: 1,
  expiresAt: 1,
} as const satisfies Record<Exclude<keyof Export, '_id'>, 1>;
const FILES = { attempts: 1 } as const;
const SWEPT_AT_ONCE = 20;

/** Each attempt may have left one. */
export type ExportFiles = Pick<Export, '_id' | 'attempts'>;

/** The rows of exports. */
@Injectable()
export class ExportQueue {
  constructor(@InjectModel(Export.name) private readonly exports: Model<Export>) {}

  async add(row: Export, session: ClientSession): Promise<void> {
    await this.exports.insertOne(row, { session });
  }

  async find(filter: QueryFilter<Export>): Promise<Export | null> {
    return findOne(this.exports, filter, FIELDS);
  }

  /** The oldest that waits; an earlier attempt that was killed waits, too. */
  next(): Promise<Export | null> {
    return findOne(this.exports, { state: 'waiting' }, FIELDS, { sort: { _id: 1 } });
  }

  async findExpired(): Promise<ExportFiles[]> {
    return findMany(this.exports, { expiresAt: { $lte: new Date() } }, FILES, { limit: SWEPT_AT_ONCE });
  }

  async findOf(userId: ObjectId): Promise<ExportFiles[]> {
    return findMany(this.exports, { userId }, FILES);
  }

  /** False when it no longer waits in this attempt: its account has ended, or another host has started it again. */
  async change({ _id, attempts }: ExportFiles, change: Partial<Export>, session?: ClientSession): Promise<boolean> {
    const filter = { _id, attempts, state: 'waiting' } as const;
    const { matchedCount } = await this.exports.updateOne(filter, { $set: change }, { session, runValidators: true });
    return matchedCount === 1;
  }

  /** It expires now, and is not started again. */
  async end(_id: ObjectId): Promise<void> {
    const change = { state: 'failed', expiresAt: new Date() } as const;
    await this.exports.updateOne({ _id }, { $set: change }, { runValidators: true });
  }

  async remove(_id: ObjectId): Promise<void> {
    await this.exports.deleteOne({ _id });
  }
}
