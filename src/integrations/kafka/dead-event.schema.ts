import type { Binary } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../../platform/mongo/schema-options.js';

const DEAD_EVENT_TTL_SECONDS = 7 * 86_400;

/** An invalid message, stored for an operator who looks for its producer. `_id` contains topic, partition and offset. */
@Schema(schemaOptions('events_dead'))
export class DeadEvent {
  @Prop({ required: true }) _id!: string;
  @Prop({ required: true }) reason!: string;
  /** first bytes of the message */
  @Prop({ type: SchemaTypes.Buffer, required: true }) value!: Binary;
  @Prop({ required: true }) at!: Date;
}

export const DeadEventSchema = SchemaFactory.createForClass(DeadEvent);
// MongoDB deletes expired rows.
DeadEventSchema.index({ at: 1 }, { expireAfterSeconds: DEAD_EVENT_TTL_SECONDS });
