import type { ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';

const CREDENTIALS = 'credentials';
export const CREDENTIAL_MODEL = 'Credential';

/** How an account signs in; kept apart so that no read of a user can ever bring it along. */
export type CredentialRow = {
  /** the account's id */
  _id: ObjectId;
  /** canonical */
  email: string;
  /** absent or null: the address is unverified */
  emailVerifiedAt?: Date | null;
  /** the address before, and until when it may be taken back: no other account gets it before */
  heldEmail?: string | null;
  heldUntil?: Date | null;
  /** providers that the owner unlinked: their identities are linked again by the owner alone */
  unlinkedProviders?: string[];
  /** argon2id, PHC string; null for an account that signs in by other means only */
  passwordHash: string | null;
  /** by its owner, without rehashes; absent or null: never */
  passwordChangedAt?: Date | null;
  /** the last time by password; every such sign-in writes the row, so it conflicts with a change of the password */
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
// CredentialsService.isTaken: addresses that their account may take back
CredentialSchema.index({ heldEmail: 1 }, { partialFilterExpression: { heldEmail: { $gt: '' } } });
