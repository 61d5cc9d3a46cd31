import type { ObjectId } from 'mongodb';
import { Prop, Schema } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { CodedError } from '../common/errors.js';

/** The removal of a post or comment by a moderator, as its author sees it. */
@Schema({ _id: false })
export class Removal {
  @Prop({ type: SchemaTypes.ObjectId, required: true }) actionId!: ObjectId;
  @Prop({ required: true }) at!: Date;
  /** the public reason of the action */
  @Prop({ default: '' }) reason!: string;
  /** removed with all content of the account, until its restriction ends */
  @Prop({ type: Boolean }) isOfAccount?: boolean;
}

/** Ignores that another action has already removed, restored or deleted the content. */
export async function unlessChanged(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof CodedError) || (error.status !== 404 && error.status !== 409)) throw error;
  }
}

/** Moderators can restore removed content for this time. Then it is deleted. */
export const REMOVED_MS = 30 * 86_400_000;
