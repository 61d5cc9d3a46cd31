import type { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { type ForYouReason, MAX_CANDIDATES, REASONS } from './rank-candidates.js';

export const SNAPSHOTS = 'feed_snapshots';
export const MAX_SNAPSHOTS = 3;
const TTL_SECONDS = 30 * 60;

/** The personal feed of an account at one time, which its cursors page through. */
@Schema(schemaOptions(SNAPSHOTS))
export class FeedSnapshot {
  _id!: ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) userId!: ObjectId;
  /** posts, first to last */
  @Prop({ type: [SchemaTypes.ObjectId], required: true }) ids!: ObjectId[];
  /** the reason of each post */
  @Prop({ type: [String], enum: REASONS, required: true }) reasons!: ForYouReason[];
  @Prop({ required: true }) createdAt!: Date;
}

export const FeedSnapshotSchema = SchemaFactory.createForClass(FeedSnapshot);
// the snapshots of an account, newest first: the oldest ones are deleted
FeedSnapshotSchema.index({ userId: 1, _id: -1 });
FeedSnapshotSchema.index({ createdAt: 1 }, { expireAfterSeconds: TTL_SECONDS });

const listed = (items: object) => ({ bsonType: 'array', maxItems: MAX_CANDIDATES, items });

declareValidator(
  FeedSnapshotSchema,
  exactShape(FeedSnapshotSchema, { ids: listed({ bsonType: 'objectId' }), reasons: listed({ enum: [...REASONS] }) }),
);
