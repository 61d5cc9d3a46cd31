import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../../platform/mongo/collection-validator.js';
import { schemaOptions } from '../../platform/mongo/schema-options.js';

export const PUSH_SUBSCRIPTIONS = 'push_subscriptions';
/** order of an account's list */
export const LATEST = { createdAt: -1, _id: 1 } as const;

/** A browser that receives the notifications of an account. */
@Schema(schemaOptions(PUSH_SUBSCRIPTIONS))
export class PushSubscription {
  /** SHA-256 of the endpoint */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) userId!: ObjectId;
  /** endpoint and keys, encrypted, because they allow anyone to send to the browser */
  @Prop({ type: SchemaTypes.Buffer, required: true }) sealed!: Binary;
  @Prop({ required: true }) createdAt!: Date;
  /** since when no response has arrived in time; absent after a fast one */
  @Prop({ type: Date }) slowSince?: Date;
  /** number of messages that the push service has refused since it accepted one */
  @Prop({ type: Number }) refusals?: number;
}

export const PushSubscriptionSchema = SchemaFactory.createForClass(PushSubscription);
// GET /notifications/push-subscriptions, PushSubscriptionsService.create: latest first; PushSenderService.add, cleanup: by account
PushSubscriptionSchema.index({ userId: 1, ...LATEST });

declareValidator(PushSubscriptionSchema, exactShape(PushSubscriptionSchema, {}, ['slowSince', 'refusals']));
