import type { ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';

const CREDENTIALS = 'credentials';
export const CREDENTIAL_MODEL = 'Credential';

/** The credentials of an account, in a collection of their own so that no read of an account can return them. */
export type CredentialRow = {
  /** the account's id */
  _id: ObjectId;
  /** canonical */
  email: string;
  /** absent or null: the address is unverified */
  emailVerifiedAt?: Date | null;
  /** the previous address, reserved for this account until `heldUntil` */
  heldEmail?: string | null;
  heldUntil?: Date | null;
  /** providers that the owner unlinked: only the owner may link their identities again */
  unlinkedProviders?: string[];
  /** argon2id, PHC string; null for an account without a password */
  passwordHash: string | null;
  /** by its owner, without rehashes; absent or null: never */
  passwordChangedAt?: Date | null;
  /** the last sign-in by password; it writes the row, so it conflicts with a change of the password */
  signedInAt?: Date | null;
  updatedAt: Date;
};

export const CredentialSchema = new Schema<CredentialRow>(
  {
    email: { type: String, required: true },
    emailVerifiedAt: { type: Date, default: null },
    heldEmail: { type: String, default: null },
    heldUntil: { type: Date, default: null },
    unlinkedProviders: { type: [String], default: [] },
    passwordHash: { type: String, default: null },
    passwordChangedAt: { type: Date, default: null },
    signedInAt: { type: Date, default: null },
    updatedAt: { type: Date, required: true },
  },
  schemaOptions(CREDENTIALS),
);

// CredentialsService.findByLogin, .isTaken; one account per address
CredentialSchema.index({ email: 1 }, { unique: true });
// CredentialsService.isTaken: reserved previous addresses
CredentialSchema.index({ heldEmail: 1 }, { partialFilterExpression: { heldEmail: { $gt: '' } } });
