import type { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../../platform/mongo/collection-validator.js';
import { schemaOptions } from '../../platform/mongo/schema-options.js';

export const IDENTITIES = 'identities';

/** An account at a provider that is linked to an account here. */
@Schema(schemaOptions(IDENTITIES))
export class Identity {
  /** `provider:sub`: one account per identity */
  @Prop({ required: true }) _id!: string;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) userId!: ObjectId;
  /** the last verified address at the provider; null: none */
  @Prop({ type: String, default: null }) email!: string | null;
  @Prop({ required: true }) createdAt!: Date;
  @Prop({ required: true }) lastUsedAt!: Date;
}

export const IdentitySchema = SchemaFactory.createForClass(Identity);

// IdentitiesService.listOf: the identities of an account
IdentitySchema.index({ userId: 1 });

declareValidator(IdentitySchema, exactShape(IdentitySchema));
