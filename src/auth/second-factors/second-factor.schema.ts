import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../../platform/mongo/schema-options.js';

export const SECOND_FACTOR_MODEL = 'SecondFactor';
export const SECOND_FACTORS = 'second_factors';

/** The authenticator app of an account. */
export type SecondFactorRow = {
  /** the account's id */
  _id: ObjectId;
  /** the encrypted secret: a reader of the database cannot compute codes */
  totp: Binary;
  /** the step of the last used code; earlier codes are invalid */
  lastStep: number;
  /** SHA-256 of the unused recovery codes */
  recovery: string[];
  /** when the secret was created */
  startedAt: Date;
  /** null: no code has confirmed yet that an app has the secret, and none is required */
  enabledAt: Date | null;
};

export const SecondFactorSchema = new Schema<SecondFactorRow>(
  {
    totp: { type: Schema.Types.Buffer, required: true },
    lastStep: { type: Number, required: true },
    recovery: { type: [String], required: true },
    startedAt: { type: Date, required: true },
    enabledAt: { type: Date, default: null },
  },
  schemaOptions(SECOND_FACTORS),
);
