import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

/** The name of the job that applies facts. */
export const ACTIVITY_JOB = 'activity';

/** The facts of one transaction, until a job has applied them. */
@Schema(schemaOptions('activity'))
export class ActivityBatch {
  _id!: ObjectId;
  /** true for likes, which are applied every 10 s */
  @Prop({ required: true }) isSlow!: boolean;
  /** see encodeFacts */
  @Prop({ type: SchemaTypes.Buffer, required: true }) facts!: Binary;
  /** of the transaction, if that is part of a trace */
  @Prop({ type: String }) traceparent?: string;
}

export const ActivityBatchSchema = SchemaFactory.createForClass(ActivityBatch);
// ActivityProcessorService: the oldest rows of a lane
ActivityBatchSchema.index({ isSlow: 1, _id: 1 });

declareValidator(ActivityBatchSchema, exactShape(ActivityBatchSchema, {}, ['traceparent']));

/** A fact that could not be applied, for operators. */
@Schema(schemaOptions('activity_dead'))
export class DeadFact {
  _id!: ObjectId;
  /** see encodeFacts */
  @Prop({ type: SchemaTypes.Buffer, required: true }) fact!: Binary;
  @Prop({ required: true }) error!: string;
  @Prop({ required: true }) expiresAt!: Date;
}

export const DeadFactSchema = SchemaFactory.createForClass(DeadFact);
// No query: MongoDB deletes expired rows.
DeadFactSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
