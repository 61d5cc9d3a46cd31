import type { Binary } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const SIGN_IN_FAILURES = 'sign_in_failures';
export const SIGN_IN_FAILURE_MODEL = 'SignInFailure';
export const FORGET_AFTER_SECONDS = 3_600;

/** Failed guesses at passwords, and guesses being checked. All times are the database's. */
export type SignInFailureRow = {
  /** keyed hash of a network, an account, or both: rows reveal no account, no network and no login */
  _id: Binary;
  failures: number;
  /** of the last attempt */
  at: Date;
  /** of the attempt before it */
  previousAt: Date;
  /** the id of the last counted attempt */
  attempt: string;
};

export const SignInFailureSchema = new Schema<SignInFailureRow>(
  {
    _id: { type: Schema.Types.Buffer, required: true },
    failures: { type: Number, required: true },
    at: { type: Date, required: true },
    previousAt: { type: Date, required: true },
    attempt: { type: String, required: true },
  },
  schemaOptions(SIGN_IN_FAILURES),
);

// no query: MongoDB deletes expired rows
SignInFailureSchema.index({ at: 1 }, { expireAfterSeconds: FORGET_AFTER_SECONDS });
