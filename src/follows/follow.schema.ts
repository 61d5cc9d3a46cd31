import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';

export const FOLLOWS = 'follows';

/** One row per ordered pair of accounts, by its primary key. */
@Schema(schemaOptions(FOLLOWS))
export class Follow {
  /** pairId(followerId, followingId): the range of one follower is also the cheapest list of followed accounts */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) followerId!: ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) followingId!: ObjectId;
  /** created with the row; cursor of both lists */
  @Prop({ type: SchemaTypes.ObjectId, required: true }) seq!: ObjectId;
  @Prop({ required: true }) since!: Date;
}

export const FollowSchema = SchemaFactory.createForClass(Follow);
// GET /users/:username/following: latest first
FollowSchema.index({ followerId: 1, seq: -1 });
// GET /users/:username/followers: latest first; home timelines: all followers of an author, in order
FollowSchema.index({ followingId: 1, seq: -1 });

// The server enforces this for every writer, also for those that bypass mongoose.
declareValidator(FollowSchema, exactShape(FollowSchema));
