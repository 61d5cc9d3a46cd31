import type { Binary } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../mongo/schema-options.js';

const IDEMPOTENCY_KEY_TTL_SECONDS = 24 * 3_600;

/** A first response, stored in the transaction of its write: neither exists without the other. */
@Schema(schemaOptions('idempotency_keys'))
export class IdempotencyRecord {
  /** a hash of the sender, the route with its path, and the key */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  /** SHA-256 of the body of the request */
  @Prop({ type: SchemaTypes.Buffer, required: true }) fingerprint!: Binary;
  @Prop({ required: true }) status!: number;
  @Prop({ type: SchemaTypes.Mixed, required: true }) headers!: Record<string, string>;
  /** the JSON body of the response, encrypted (base64) if `isSealed` */
  @Prop({ required: true }) body!: string;
  /** absent in most rows */
  @Prop({ type: Boolean }) isSealed?: boolean;
  @Prop({ required: true }) createdAt!: Date;
}

export const IdempotencyRecordSchema = SchemaFactory.createForClass(IdempotencyRecord);

// Serves no query. MongoDB deletes rows after a day.
IdempotencyRecordSchema.index({ createdAt: 1 }, { expireAfterSeconds: IDEMPOTENCY_KEY_TTL_SECONDS });
