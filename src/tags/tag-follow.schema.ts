import { createHash } from 'node:crypto';
import { type Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { pairId } from '../common/pair-id.js';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const TAG_FOLLOWS = 'tag_follows';
/**
 * Tags that an account follows. The following feed reads six index ranges per tag, and MongoDB merges at most 200 ranges in order
 * (internalQueryMaxScansToExplode).
 */
export const MAX_FOLLOWED_TAGS = 30;

/** One row per account and tag, by its primary key. */
@Schema(schemaOptions(TAG_FOLLOWS))
export class TagFollow {
  /** tagFollowId(userId, tag) */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) userId!: ObjectId;
  @Prop({ required: true }) tag!: string;
  /** created with the row; order of the list */
  @Prop({ type: SchemaTypes.ObjectId, required: true }) seq!: ObjectId;
}

export const TagFollowSchema = SchemaFactory.createForClass(TagFollow);
// GET /users/me/tags: latest first; the following feed; cleanup of a deleted account
TagFollowSchema.index({ userId: 1, seq: -1 });
// audit of followersCount
TagFollowSchema.index({ tag: 1 });

declareValidator(TagFollowSchema, exactShape(TagFollowSchema));

/** Contains a hash of the tag, because a tag has up to 128 bytes. */
export function tagFollowId(userId: ObjectId, tag: string): Binary {
  return pairId(userId, hashOfTag(tag));
}

/** Identifies a tag where an ObjectId is required. */
export function hashOfTag(tag: string): ObjectId {
  return new ObjectId(createHash('sha256').update(tag).digest().subarray(0, 12));
}
