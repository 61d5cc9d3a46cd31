import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../../platform/mongo/schema-options.js';

export const PASSKEYS = 'passkeys';

/** The public key of an account. */
@Schema(schemaOptions(PASSKEYS))
export class Passkey {
  /** hash of the credential id, which may be too long for a URL; stores a passkey only once */
  _id!: ObjectId;
  /** id at the authenticator */
  @Prop({ type: SchemaTypes.Buffer, required: true }) credentialId!: Binary;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) userId!: ObjectId;
  /** COSE */
  @Prop({ type: SchemaTypes.Buffer, required: true }) publicKey!: Binary;
  /** number of signatures, if the authenticator counts them; a counter that does not increase indicates a copy */
  @Prop({ required: true }) counter!: number;
  /** how a browser reaches the authenticator */
  @Prop({ type: [String], required: true }) transports!: string[];
  /** chosen by the owner */
  @Prop({ required: true }) name!: string;
  @Prop({ required: true }) createdAt!: Date;
  @Prop({ type: Date, default: null }) lastUsedAt!: Date | null;
}

export const PasskeySchema = SchemaFactory.createForClass(Passkey);

// PasskeysService.list, and the cleanup of an account
PasskeySchema.index({ userId: 1 });
