import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { StoredText } from '../revisions/stored-text.js';

export const DRAFT_STATES = ['open', 'scheduled', 'failed'] as const;
export type DraftState = (typeof DRAFT_STATES)[number];

/** Anyone with the link may read it until then. */
@Schema({ _id: false })
export class DraftShare {
  @Prop({ type: SchemaTypes.Buffer }) keyHash!: Binary;
  @Prop() expiresAt!: Date;
}

/** An unpublished text: a new post, or an edit of one. */
@Schema(schemaOptions('drafts'))
export class Draft extends StoredText {
  _id!: ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) authorId!: ObjectId;
  /** the post whose text it replaces; null: it becomes a new post */
  @Prop({ type: SchemaTypes.ObjectId, default: null }) postId!: ObjectId | null;
  /** increments with every save; the first part of the ETag */
  @Prop({ required: true, min: 1 }) version!: number;
  @Prop({ type: String, required: true, enum: DRAFT_STATES }) state!: DraftState;
  /** the scheduled time, by the clock of the database */
  @Prop({ type: Date, default: null }) publishAt!: Date | null;
  /** error code of a failed scheduled publication */
  @Prop({ type: String, default: null }) failure!: string | null;
  @Prop({ type: DraftShare, default: null }) share!: DraftShare | null;
  @Prop({ required: true }) createdAt!: Date;
  /** the last save */
  @Prop({ required: true }) updatedAt!: Date;
}

export const DraftSchema = SchemaFactory.createForClass(Draft);

/** DraftsService.list: an author's, the last saved first; DraftsSubscriber: all of an author */
export const OF_AUTHOR = { authorId: 1, updatedAt: -1, _id: -1 } as const;
DraftSchema.index(OF_AUTHOR);
// a post has one draft at most; DraftsSubscriber: the draft of a deleted post
DraftSchema.index({ postId: 1 }, { unique: true, partialFilterExpression: { postId: { $type: 'objectId' } } });
// DraftSharing: by the key of the request
DraftSchema.index(
  { 'share.keyHash': 1 },
  { unique: true, partialFilterExpression: { 'share.keyHash': { $exists: true } } },
);
