import type { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';

const MAX_WAIT_SECONDS = 30 * 86_400;

/** A registration pending approval for at most 30 days. Approval creates the account, and each decision deletes the row. */
@Schema(schemaOptions('sign_ups'))
export class SignUp {
  /** the id of the future account */
  _id!: ObjectId;
  @Prop({ required: true }) username!: string;
  @Prop({ required: true }) fullName!: string;
  /** canonical; verified if `identity` is set */
  @Prop({ required: true }) email!: string;
  /** null for a registration through an identity provider */
  @Prop({ type: String, default: null }) passwordHash!: string | null;
  /** `provider:sub`; null for a registration with a password */
  @Prop({ type: String, default: null }) identity!: string | null;
  @Prop({ default: '' }) reason!: string;
  @Prop({ required: true }) createdAt!: Date;
}

export const SignUpSchema = SchemaFactory.createForClass(SignUp);

// SignUpsService.add: names and addresses are unique among pending registrations
SignUpSchema.index({ username: 1 }, { unique: true });
SignUpSchema.index({ email: 1 }, { unique: true });
// SignUpsService.has: find by identity at the next sign-in with the provider
SignUpSchema.index({ identity: 1 }, { unique: true, partialFilterExpression: { identity: { $gt: '' } } });
// MongoDB deletes undecided registrations after 30 days.
SignUpSchema.index({ createdAt: 1 }, { expireAfterSeconds: MAX_WAIT_SECONDS });
