import type { ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const CREDENTIALS = 'credentials';
export const CREDENTIAL_MODEL = 'Credential';

/** How an account signs in; kept apart so that no read of a user can ever bring it along. */
export type CredentialRow = {
  /** the account's id */
  _id: ObjectId;
  /** lowercase */
  email: string;
  /** argon2id, PHC string */
  passwordHash: string;
  updatedAt: Date;
};

export const CredentialSchema = new Schema<CredentialRow>(
  {
    email: { type: String, required: true },
    passwordHash: { type: String, required: true },
    updatedAt: { type: Date, required: true },
  },
  schemaOptions(CREDENTIALS),
);

// CredentialsService.findByEmail; one account per address
CredentialSchema.index({ email: 1 }, { unique: true });
