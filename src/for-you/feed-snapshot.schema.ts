import type { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import type { LookupRange } from '../platform/mongo/raw-read.js';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { FEED_POST_LENGTH, MAX_CANDIDATES } from './rank-candidates.js';

export const SNAPSHOTS = 'feed_snapshots';
export const MAX_SNAPSHOTS = 3;
const TTL_SECONDS = 30 * 60;

/** The personal feed of an account at one time, which its cursors page through. A later feed replaces it in its row. */
@Schema(schemaOptions(SNAPSHOTS))
export class FeedSnapshot {
  _id!: ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) userId!: ObjectId;
  /** identifies the feed in cursors */
  @Prop({ type: SchemaTypes.ObjectId, required: true }) feedId!: ObjectId;
  /** first to last, by `encodeFeed`, because a text is read and written in less time than hundreds of ids */
  @Prop({ required: true }) posts!: string;
  @Prop({ required: true }) createdAt!: Date;
}

export const FeedSnapshotSchema = SchemaFactory.createForClass(FeedSnapshot);
// the feed of a cursor; the snapshots of an account, newest first
FeedSnapshotSchema.index({ userId: 1, feedId: -1 });
FeedSnapshotSchema.index({ createdAt: 1 }, { expireAfterSeconds: TTL_SECONDS });

const posts = { bsonType: 'string', maxLength: FEED_POST_LENGTH * MAX_CANDIDATES };
declareValidator(FeedSnapshotSchema, exactShape(FeedSnapshotSchema, { posts }));

export function newestSnapshots(userId: ObjectId): LookupRange {
  const newest = [{ $sort: { feedId: -1 } }, { $limit: MAX_SNAPSHOTS }, { $project: { feedId: 1 } }];
  return { from: SNAPSHOTS, pipeline: [{ $match: { userId } }, ...newest] };
}
