import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const SESSIONS = 'sessions';
export const SESSION_MODEL = 'Session';

/** One refresh token. Those that followed from one sign-in are a family. */
export type SessionRow = {
  _id: ObjectId;
  userId: ObjectId;
  familyId: ObjectId;
  /** SHA-256 of the token: who reads the database cannot sign in with it */
  tokenHash: Binary;
  createdAt: Date;
  expiresAt: Date;
  /** when it was first exchanged for the next one; kept until it expires, so that a later use is noticed */
  rotatedAt: Date | null;
  revokedAt: Date | null;
  userAgent: string;
  /** keyed hash of the network it was given to */
  network: Binary;
};

export const SessionSchema = new Schema<SessionRow>(
  {
    userId: { type: Schema.Types.ObjectId, required: true },
    familyId: { type: Schema.Types.ObjectId, required: true },
    tokenHash: { type: Schema.Types.Buffer, required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    rotatedAt: { type: Date, default: null },
    revokedAt: { type: Date, default: null },
    userAgent: { type: String, default: '' },
    network: { type: Schema.Types.Buffer },
  },
  schemaOptions(SESSIONS),
);

// SessionsService.rotate, .close: by the token at hand
SessionSchema.index({ tokenHash: 1 }, { unique: true });
// SessionsService: revoking a family
SessionSchema.index({ familyId: 1 });
// SessionsService.isKnownNetwork; .removeAll: the end of an account
SessionSchema.index({ userId: 1, network: 1 });
// MongoDB removes what has expired
SessionSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
