import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Binary, ObjectId } from 'mongodb';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../mongo/schema-options.js';

const SENT = { id: SchemaTypes.ObjectId, at: Date, _id: false };

/** The mails to one recipient in the last hour. All times are of the database's clock. */
@Schema(schemaOptions('mail_counts'))
export class MailCount {
  /** keyed hash of the address and of the kind of mail */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  @Prop({ type: [SENT], required: true }) sent!: { id: ObjectId; at: Date }[];
  @Prop({ required: true }) expiresAt!: Date;
}

export const MailCountSchema = SchemaFactory.createForClass(MailCount);

// Serves no query. MongoDB deletes expired documents.
MailCountSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
