import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../mongo/schema-options.js';
import type { MailMessage } from './mail-message.js';

export const MAIL_QUEUE = 'mail_queue';
export const MAIL_MODEL = 'QueuedMail';

/** Long enough for the last attempt, and for an operator who looks for the reason. */
const KEPT_SECONDS = 5 * 86_400;

/** One mail to one address. All times but `createdAt` are the database's. */
export type MailRow = {
  /** its Message-ID is made of it, so that a mail which was sent twice can be told */
  _id: ObjectId;
  /** keyed hash of the address, and of the kind of mail where that is counted by itself */
  recipient: Binary;
  /** the address and the text; gone as soon as the mail is sent or given up */
  sealed?: Binary;
  state: 'waiting' | 'sent' | 'refused' | 'dropped' | 'expired';
  ifTooMany: MailMessage['ifTooMany'];
  attempts: number;
  /** when it is tried next; absent when it is no longer waiting */
  nextAt?: Date;
  /** when it was tried last */
  triedAt: Date | null;
  goodUntil: Date;
  /** code of the last refusal; never its text, which may hold the address */
  lastError: string | null;
  createdAt: Date;
};

export const MailSchema = new Schema<MailRow>(
  {
    recipient: { type: Schema.Types.Buffer, required: true },
    sealed: { type: Schema.Types.Buffer },
    state: { type: String, required: true },
    ifTooMany: { type: String, required: true },
    attempts: { type: Number, required: true },
    nextAt: { type: Date },
    triedAt: { type: Date, default: null },
    goodUntil: { type: Date, required: true },
    lastError: { type: String, default: null },
    createdAt: { type: Date, required: true },
  },
  schemaOptions(MAIL_QUEUE),
);

// MailQueue.claim, .isDue, .waiting
MailSchema.index({ nextAt: 1 }, { partialFilterExpression: { nextAt: { $type: 'date' } } });
// MailQueue.claim: what one address got in the last hour
MailSchema.index({ recipient: 1, triedAt: 1 });
// MongoDB deletes expired rows
MailSchema.index({ createdAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });
