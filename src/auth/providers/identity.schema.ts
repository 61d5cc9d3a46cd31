import type { ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { declareValidator, exactShape } from '../../platform/mongo/collection-validator.js';
import { schemaOptions } from '../../platform/mongo/schema-options.js';

export const IDENTITIES = 'identities';
export const IDENTITY_MODEL = 'Identity';

/** An account at a provider that is linked to an account here. */
export type IdentityRow = {
  /** `provider:sub`: one account per identity */
  _id: string;
  userId: ObjectId;
  /** the last verified address at the provider; null: none */
  email: string | null;
  createdAt: Date;
  lastUsedAt: Date;
};

export const IdentitySchema = new Schema<IdentityRow>(
  {
    _id: { type: String, required: true },
    userId: { type: Schema.Types.ObjectId, required: true },
    email: { type: String, default: null },
    createdAt: { type: Date, required: true },
    lastUsedAt: { type: Date, required: true },
  },
  schemaOptions(IDENTITIES),
);

// IdentitiesService.listOf: the identities of an account
IdentitySchema.index({ userId: 1 });

declareValidator(IdentitySchema, exactShape(IdentitySchema));
