import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const SESSIONS = 'sessions';

/** One refresh token. The tokens of one sign-in are a family, whose id is the id of the session. */
@Schema(schemaOptions(SESSIONS))
export class Session {
  _id!: ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) userId!: ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) familyId!: ObjectId;
  /** SHA-256 of the token: a reader of the database cannot sign in */
  @Prop({ type: SchemaTypes.Buffer, required: true }) tokenHash!: Binary;
  @Prop({ required: true }) createdAt!: Date;
  @Prop({ required: true }) expiresAt!: Date;
  /** first exchange for the next token; the row stays until it expires, to detect a later use */
  @Prop({ type: Date, default: null }) rotatedAt!: Date | null;
  /** end of the session, by the clock of the database; set on its one token that was not exchanged yet */
  @Prop({ type: Date, default: null }) revokedAt!: Date | null;
  @Prop({ default: '' }) userAgent!: string;
  /** keyed hash of the client's network */
  @Prop({ type: SchemaTypes.Buffer }) network!: Binary;
  /** a wider network, encrypted, to show to the owner */
  @Prop({ type: SchemaTypes.Buffer, required: true }) shownNetwork!: Binary;
}

export const SessionSchema = SchemaFactory.createForClass(Session);

// SessionsService.rotate, .close: by the token of the request
SessionSchema.index({ tokenHash: 1 }, { unique: true });
// SessionsService: ending a session
SessionSchema.index({ familyId: 1 });
// SessionsService.isKnownNetwork; .endOf: every session of an account; .removeAll: the deletion of an account
SessionSchema.index({ userId: 1, network: 1 });
// SessionsService.list, .open; a session has one such row
SessionSchema.index({ userId: 1, createdAt: -1 }, { partialFilterExpression: { rotatedAt: null, revokedAt: null } });
// TokenRevocations: sessions that ended while their access tokens may be unexpired
SessionSchema.index({ revokedAt: 1 }, { partialFilterExpression: { revokedAt: { $type: 'date' } } });
// MongoDB deletes expired rows.
SessionSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
