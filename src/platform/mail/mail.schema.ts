import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../mongo/schema-options.js';
import type { MailMessage } from './mail-message.js';

export const MAIL_QUEUE = 'mail_queue';

/** Long enough for the last attempt, and for an operator who looks for the reason. */
const KEPT_SECONDS = 5 * 86_400;

/** One mail to one address. All times but `createdAt` are the database's. */
@Schema(schemaOptions(MAIL_QUEUE))
export class QueuedMail {
  /** its Message-ID is made of it, so that a mail which was sent twice can be recognized */
  _id!: ObjectId;
  /** keyed hash of the address, and of the kind of mail where that is counted by itself */
  @Prop({ type: SchemaTypes.Buffer, required: true }) recipient!: Binary;
  /** the address and the text; gone as soon as the mail is sent or given up */
  @Prop({ type: SchemaTypes.Buffer }) sealed?: Binary;
  @Prop({ type: String, required: true }) state!: 'waiting' | 'sent' | 'refused' | 'dropped' | 'expired';
  @Prop({ type: String, required: true }) ifTooMany!: MailMessage['ifTooMany'];
  @Prop({ required: true }) attempts!: number;
  /** when it is tried next; absent when it is no longer waiting */
  @Prop() nextAt?: Date;
  /** when it was tried last */
  @Prop({ type: Date, default: null }) triedAt!: Date | null;
  @Prop({ required: true }) goodUntil!: Date;
  /** code of the last refusal; never its text, which may hold the address */
  @Prop({ type: String, default: null }) lastError!: string | null;
  @Prop({ required: true }) createdAt!: Date;
}

export const QueuedMailSchema = SchemaFactory.createForClass(QueuedMail);

// MailQueue.claim, .isDue, .waiting
QueuedMailSchema.index({ nextAt: 1 }, { partialFilterExpression: { nextAt: { $type: 'date' } } });
// MailQueue.claim: what one address got in the last hour
QueuedMailSchema.index({ recipient: 1, triedAt: 1 });
// MongoDB deletes expired rows
QueuedMailSchema.index({ createdAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });
