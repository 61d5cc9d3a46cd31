import type { Binary } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const FORGET_AFTER_SECONDS = 3_600;

/** Failed guesses at passwords, and guesses being checked. All times are the database's. */
@Schema(schemaOptions('sign_in_failures'))
export class SignInFailure {
  /** keyed hash of a network, an account, or both: rows reveal no account, no network and no login */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  @Prop({ required: true }) failures!: number;
  /** time of the last attempt */
  @Prop({ required: true }) at!: Date;
  /** time of the attempt before the last */
  @Prop({ required: true }) previousAt!: Date;
  /** id of the last counted attempt */
  @Prop({ required: true }) attempt!: string;
}

export const SignInFailureSchema = SchemaFactory.createForClass(SignInFailure);

// No query: MongoDB deletes expired rows.
SignInFailureSchema.index({ at: 1 }, { expireAfterSeconds: FORGET_AFTER_SECONDS });
