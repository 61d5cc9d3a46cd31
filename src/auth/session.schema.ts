import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';

const SESSIONS = 'sessions';
export const SESSION_MODEL = 'Session';

/** One refresh token. The tokens of one sign-in are a family, whose id is the id of the session. */
export type SessionRow = {
  _id: ObjectId;
  userId: ObjectId;
  familyId: ObjectId;
  /** SHA-256 of the token: a reader of the database cannot sign in with it */
  tokenHash: Binary;
  createdAt: Date;
  expiresAt: Date;
  /** when it was first exchanged for the next one; kept until it expires, to detect a later use */
  rotatedAt: Date | null;
  /** when the session ended, by the clock of the database: on its one token that was not exchanged yet */
  revokedAt: Date | null;
  userAgent: string;
  /** keyed hash of the client's network */
  network: Binary;
  /** the same for a wider network, encrypted, to show to the owner; absent or null in rows of earlier releases */
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

// SessionsService.rotate, .close: by the token of the request
SessionSchema.index({ tokenHash: 1 }, { unique: true });
// SessionsService: ending a session
SessionSchema.index({ familyId: 1 });
// SessionsService.isKnownNetwork; .endOf: every session of an account; .removeAll: the deletion of an account
SessionSchema.index({ userId: 1, network: 1 });
// SessionsService.list, .open, .endOlder; a session has one such row
SessionSchema.index({ userId: 1, createdAt: -1 }, { partialFilterExpression: { rotatedAt: null, revokedAt: null } });
// EndedTokens: sessions that ended while their access tokens may be unexpired
SessionSchema.index({ revokedAt: 1 }, { partialFilterExpression: { revokedAt: { $type: 'date' } } });
// MongoDB deletes expired rows
SessionSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
