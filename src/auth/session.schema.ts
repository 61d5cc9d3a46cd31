import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';

const SESSIONS = 'sessions';
export const SESSION_MODEL = 'Session';

/** One refresh token. Those that followed from one sign-in are a family, and its id is the sign-in's. */
export type SessionRow = {
  _id: ObjectId;
  userId: ObjectId;
  familyId: ObjectId;
  /** SHA-256 of the token: a reader of the database cannot sign in with it */
  tokenHash: Binary;
  createdAt: Date;
  expiresAt: Date;
  /** when it was first exchanged for the next one; kept until it expires, so that a later use is noticed */
  rotatedAt: Date | null;
  /** by the clock of the database, when the sign-in ended: on the one token of it that was not exchanged yet */
  revokedAt: Date | null;
  userAgent: string;
  /** keyed hash of the network it was given to */
  network: Binary;
  /** the same, wider and sealed: for the owner to read; absent or null in rows of earlier versions */
  shownNetwork?: Binary | null;
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
    shownNetwork: { type: Schema.Types.Buffer, default: null },
  },
  schemaOptions(SESSIONS),
);

// SessionsService.rotate, .close: by the token at hand
SessionSchema.index({ tokenHash: 1 }, { unique: true });
// SessionsService: ending a sign-in
SessionSchema.index({ familyId: 1 });
// SessionsService.isKnownNetwork; .endOf: every sign-in of an account; .removeAll: the end of an account
SessionSchema.index({ userId: 1, network: 1 });
// SessionsService.list, .open, .endOlder; a sign-in has one such row
SessionSchema.index({ userId: 1, createdAt: -1 }, { partialFilterExpression: { rotatedAt: null, revokedAt: null } });
// EndedTokens: sign-ins that ended while their access tokens may still live
SessionSchema.index({ revokedAt: 1 }, { partialFilterExpression: { revokedAt: { $type: 'date' } } });
// MongoDB deletes expired rows
SessionSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
