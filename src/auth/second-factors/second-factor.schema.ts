import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../../platform/mongo/schema-options.js';

export const SECOND_FACTORS = 'second_factors';

/** The authenticator app of an account. */
@Schema(schemaOptions(SECOND_FACTORS))
export class SecondFactor {
  /** the account's id */
  _id!: ObjectId;
  /** the encrypted secret: a reader of the database cannot compute codes */
  @Prop({ type: SchemaTypes.Buffer, required: true }) totp!: Binary;
  /** the step of the last used code; earlier codes are invalid */
  @Prop({ required: true }) lastStep!: number;
  /** SHA-256 of the unused recovery codes */
  @Prop({ type: [String], required: true }) recovery!: string[];
  /** creation of the secret */
  @Prop({ required: true }) startedAt!: Date;
  /** null: no code has confirmed the secret yet, and sign-ins require none */
  @Prop({ type: Date, default: null }) enabledAt!: Date | null;
}

export const SecondFactorSchema = SchemaFactory.createForClass(SecondFactor);
