import type { ObjectId } from 'mongodb';
import { Prop, raw, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { FEEDBACK_KINDS, type FeedbackKind } from './feedback-kinds.js';

export const AFFINITIES = 'affinities';
export const MAX_AFFINITIES = 50;
export const MAX_RELATED = 50;
export const MAX_FEEDBACK = 100;
const INACTIVE_SECONDS = 90 * 86_400;

const id = { type: SchemaTypes.ObjectId, required: true };
const weight = { type: Number, required: true };

/** What an account prefers, computed from its latest likes, saves and feedback when it reads its feed. */
@Schema(schemaOptions(AFFINITIES))
export class Affinities {
  /** the account */
  _id!: ObjectId;
  @Prop({ type: [raw({ _id: false, tag: { type: String, required: true }, weight })], required: true })
  tags!: { tag: string; weight: number }[];
  @Prop({ type: [raw({ _id: false, id, weight })], required: true })
  authors!: { id: ObjectId; weight: number }[];
  /** posts that resemble the latest likes */
  @Prop({ type: [SchemaTypes.ObjectId], required: true }) related!: ObjectId[];
  /** latest last */
  @Prop({
    type: [raw({ _id: false, postId: id, kind: { type: String, enum: FEEDBACK_KINDS, required: true } })],
    required: true,
  })
  feedback!: { postId: ObjectId; kind: FeedbackKind }[];
  /** when the row was computed */
  @Prop({ required: true }) at!: Date;
}

export const AffinitiesSchema = SchemaFactory.createForClass(Affinities);
// accounts that no longer read their feed
AffinitiesSchema.index({ at: 1 }, { expireAfterSeconds: INACTIVE_SECONDS });

const atMost = (maxItems: number) => ({ bsonType: 'array', maxItems });

declareValidator(
  AffinitiesSchema,
  exactShape(AffinitiesSchema, {
    tags: atMost(MAX_AFFINITIES),
    authors: atMost(MAX_AFFINITIES),
    related: atMost(MAX_RELATED),
    feedback: atMost(MAX_FEEDBACK),
  }),
);
