import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../../platform/mongo/schema-options.js';

export const PASSKEY_MODEL = 'Passkey';
export const PASSKEYS = 'passkeys';

/** The public key of an account. */
export type PasskeyRow = {
  /** computed from the credential id, which may be too long for a URL, so that a passkey is stored once */
  _id: ObjectId;
  /** the id at the authenticator */
  credentialId: Binary;
  userId: ObjectId;
  /** COSE */
  publicKey: Binary;
  /** of signatures, if the authenticator counts them; a counter that does not increase indicates a copy */
  counter: number;
  /** how a browser reaches the authenticator */
  transports: string[];
  /** by the owner */
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
};

export const PasskeySchema = new Schema<PasskeyRow>(
  {
    credentialId: { type: Schema.Types.Buffer, required: true },
    userId: { type: Schema.Types.ObjectId, required: true },
    publicKey: { type: Schema.Types.Buffer, required: true },
    counter: { type: Number, required: true },
    transports: { type: [String], required: true },
    name: { type: String, required: true },
    createdAt: { type: Date, required: true },
    lastUsedAt: { type: Date, default: null },
  },
  schemaOptions(PASSKEYS),
);

// Passkeys.list, and the cleanup of an account
PasskeySchema.index({ userId: 1 });
