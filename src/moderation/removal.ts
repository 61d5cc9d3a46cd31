import type { ObjectId } from 'mongodb';
import { Prop, Schema } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';

/** The removal of a post or comment by a moderator, as its author sees it. */
@Schema({ _id: false })
export class Removal {
  @Prop({ type: SchemaTypes.ObjectId, required: true }) actionId!: ObjectId;
  @Prop({ required: true }) at!: Date;
  /** the public reason of the action */
  @Prop({ default: '' }) reason!: string;
}

/** Moderators can restore removed content for this time. Then it is deleted. */
export const REMOVED_MS = 30 * 86_400_000;
