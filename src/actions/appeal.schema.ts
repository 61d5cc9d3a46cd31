import type { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { APPEAL_STATES, type AppealState, MAX_APPEAL } from './appeal-rules.js';

export const APPEALS = 'appeals';
/** index of the lists; each query hints it */
export const BY_STATE = { state: 1, seq: 1 } as const;

const id = { type: SchemaTypes.ObjectId, required: true };

/** The appeal of the affected account against an action. */
@Schema(schemaOptions(APPEALS))
export class Appeal {
  /** id of the action */
  @Prop(id) _id!: ObjectId;
  @Prop(id) userId!: ObjectId;
  /** increases with time: the sort key of the list */
  @Prop(id) seq!: ObjectId;
  @Prop({ type: String, required: true, maxlength: MAX_APPEAL }) text!: string;
  @Prop({ type: String, enum: APPEAL_STATES, required: true }) state!: AppealState;
  @Prop({ type: SchemaTypes.ObjectId, default: null }) decidedBy!: ObjectId | null;
  @Prop({ type: Date, default: null }) decidedAt!: Date | null;
  /** of the decision, for the account; empty while the appeal is open */
  @Prop({ type: String, default: '' }) reason!: string;
}

export const AppealSchema = SchemaFactory.createForClass(Appeal);
// GET /moderation/appeals
AppealSchema.index(BY_STATE);
// cleanup of a deleted account
AppealSchema.index({ userId: 1 });

declareValidator(AppealSchema, exactShape(AppealSchema));
