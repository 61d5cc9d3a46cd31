import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';

const ONE_TIME_TOKENS = 'one_time_tokens';
export const ONE_TIME_TOKEN_MODEL = 'OneTimeToken';

/** A link or a code for one action, once. */
export type OneTimeTokenRow = {
  /** SHA-256 of the kind and the token: a reader of the database cannot use it, and a token of another kind finds no row */
  _id: Binary;
  kind: string;
  userId: ObjectId;
  /** the data that the kind needs when the token is used */
  data: Record<string, unknown>;
  expiresAt: Date;
  /** failed attempts with a wrong second value; absent: none */
  tries?: number;
};

export const OneTimeTokenSchema = new Schema<OneTimeTokenRow>(
  {
    _id: { type: Schema.Types.Buffer, required: true },
    kind: { type: String, required: true },
    userId: { type: Schema.Types.ObjectId, required: true },
    data: { type: Schema.Types.Mixed, default: {} },
    expiresAt: { type: Date, required: true },
    tries: { type: Number },
  },
  { ...schemaOptions(ONE_TIME_TOKENS), minimize: false },
);

// OneTimeTokens.removeOf: earlier tokens of a kind, or all at the deletion of an account
OneTimeTokenSchema.index({ userId: 1, kind: 1 });
// MongoDB deletes expired rows
OneTimeTokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
