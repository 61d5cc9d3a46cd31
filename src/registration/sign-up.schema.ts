import type { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';

const MAX_WAIT_SECONDS = 30 * 86_400;

/** A registration that waits for a moderator, for 30 days at most. Decided ones are deleted; the account does not exist before. */
@Schema(schemaOptions('sign_ups'))
export class SignUp {
  /** of the future account */
  _id!: ObjectId;
  @Prop({ required: true }) username!: string;
  @Prop({ required: true }) fullName!: string;
  /** canonical; verified if there is an identity */
  @Prop({ required: true }) email!: string;
  /** null: it registered with a provider */
  @Prop({ type: String, default: null }) passwordHash!: string | null;
  /** `provider:sub`; null: it registered with a password */
  @Prop({ type: String, default: null }) identity!: string | null;
  @Prop({ default: '' }) reason!: string;
  @Prop({ required: true }) createdAt!: Date;
}

export const SignUpSchema = SchemaFactory.createForClass(SignUp);

// SignUps.add: one of a name, one of an address
SignUpSchema.index({ username: 1 }, { unique: true });
SignUpSchema.index({ email: 1 }, { unique: true });
// SignUps.has: the next sign-in with the same provider
SignUpSchema.index({ identity: 1 }, { unique: true, partialFilterExpression: { identity: { $gt: '' } } });
// MongoDB deletes those that no moderator has decided
SignUpSchema.index({ createdAt: 1 }, { expireAfterSeconds: MAX_WAIT_SECONDS });
