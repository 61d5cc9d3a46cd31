import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import {
  DELIVERY_STATES,
  type DeliveryState,
  DISABLED_REASONS,
  type DisabledReason,
  MESSAGE_TYPES,
  type MessageType,
  WEBHOOK_EVENTS,
  type WebhookData,
  type WebhookEvent,
} from './webhook-events.js';

export const WEBHOOKS = 'webhooks';
export const WEBHOOK_DELIVERIES = 'webhook_deliveries';

export const OF_ACCOUNT = { userId: 1, _id: 1 } as const;

const id = { type: SchemaTypes.ObjectId, required: true };

/** A URL of a program that receives the events of an account, or of the site. */
@Schema(schemaOptions(WEBHOOKS))
export class Webhook {
  _id!: ObjectId;
  @Prop(id) userId!: ObjectId;
  @Prop({ required: true }) url!: string;
  @Prop({ type: [{ type: String, enum: WEBHOOK_EVENTS }], required: true }) events!: WebhookEvent[];
  /** Admins receive the events of all accounts. */
  @Prop({ required: true }) isSiteWide!: boolean;
  @Prop({ type: String, default: '' }) description!: string;
  @Prop({ required: true }) isEnabled!: boolean;
  @Prop({ type: String, enum: [...DISABLED_REASONS, null], default: null }) disabledReason!: DisabledReason | null;
  /** encrypted WebhookSecrets */
  @Prop({ type: SchemaTypes.Buffer, required: true }) sealed!: Binary;
  /** time of the first failure since the last success */
  @Prop({ type: Date, default: null }) failingSince!: Date | null;
  /** whether the last response was late; its deliveries then use the slow lane */
  @Prop({ required: true }) isSlow!: boolean;
  /** for If-Match */
  @Prop({ required: true }) version!: number;
  @Prop({ required: true }) createdAt!: Date;
  @Prop({ required: true }) updatedAt!: Date;
}

export const WebhookSchema = SchemaFactory.createForClass(Webhook);
// the webhooks of an account: GET /webhooks, WebhookReceiversService.find, exports, cleanup
WebhookSchema.index(OF_ACCOUNT);
// those of the site, and the events that any webhook asks for: WebhookReceiversService
WebhookSchema.index({ isSiteWide: 1, isEnabled: 1 });

declareValidator(WebhookSchema, exactShape(WebhookSchema));

/** One request to the receiver. */
@Schema({ _id: false })
export class DeliveryAttempt {
  @Prop({ required: true }) at!: Date;
  /** null: no response */
  @Prop({ type: Number, default: null }) status!: number | null;
  /** why there was no response: an OutgoingReason */
  @Prop({ type: String, default: null }) error!: string | null;
  @Prop({ required: true }) durationMs!: number;
  /** start of the body */
  @Prop({ type: String, default: '' }) response!: string;
}

/** An event for one webhook. */
@Schema(schemaOptions(WEBHOOK_DELIVERIES))
export class WebhookDelivery {
  /** pairId(webhook, event) */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  @Prop(id) webhookId!: ObjectId;
  @Prop({ type: String, enum: MESSAGE_TYPES, required: true }) type!: MessageType;
  @Prop({ type: SchemaTypes.Mixed, required: true }) data!: WebhookData;
  @Prop({ type: String, enum: DELIVERY_STATES, required: true }) state!: DeliveryState;
  /** number of failed attempts since the event, or since the last redelivery */
  @Prop({ required: true }) failures!: number;
  /** latest last */
  @Prop({ type: [DeliveryAttempt], required: true }) attempts!: DeliveryAttempt[];
  /** of the next attempt after a failure */
  @Prop({ type: Date, default: null }) nextAt!: Date | null;
  @Prop({ required: true }) createdAt!: Date;
  @Prop({ required: true }) expiresAt!: Date;
}

export const WebhookDeliverySchema = SchemaFactory.createForClass(WebhookDelivery);
// GET /webhooks/:id/deliveries?state: latest first; without a state the primary key serves the list
WebhookDeliverySchema.index({ webhookId: 1, state: 1, _id: -1 });
// MongoDB deletes expired rows.
WebhookDeliverySchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

declareValidator(WebhookDeliverySchema, exactShape(WebhookDeliverySchema, { data: { bsonType: 'object' } }));
