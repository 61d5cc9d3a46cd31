import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';

/** A link or code that is valid once, for one action. */
@Schema({ ...schemaOptions('one_time_tokens'), minimize: false })
export class OneTimeToken {
  /** SHA-256 of the kind and the token: a reader of the database cannot use the token, and a token of another kind finds no row */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  @Prop({ required: true }) kind!: string;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) userId!: ObjectId;
  /** the data that the kind needs when the token is used */
  @Prop({ type: SchemaTypes.Mixed, default: {} }) data!: Record<string, unknown>;
  @Prop({ required: true }) expiresAt!: Date;
  /** failed attempts with a wrong second value; absent: none */
  @Prop() tries?: number;
}

export const OneTimeTokenSchema = SchemaFactory.createForClass(OneTimeToken);

// OneTimeTokensService.removeOf: earlier tokens of a kind, or all at the deletion of an account
OneTimeTokenSchema.index({ userId: 1, kind: 1 });
// MongoDB deletes expired rows.
OneTimeTokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
