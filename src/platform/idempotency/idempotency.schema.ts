import type { Binary } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../mongo/schema-options.js';

const IDEMPOTENCY_KEYS = 'idempotency_keys';
/** the name of the model */
export const IDEMPOTENCY_KEY_MODEL = 'IdempotencyKey';
const IDEMPOTENCY_KEY_TTL_SECONDS = 24 * 3_600;

/** A first response, stored in the transaction of its write: neither exists without the other. */
export type IdempotencyKeyRow = {
  /** a hash of the sender, the route with its path, and the key */
  _id: Binary;
  /** SHA-256 of the body of the request */
  fingerprint: Binary;
  status: number;
  headers: Record<string, string>;
  /** of the response, JSON */
  body: string;
  createdAt: Date;
};

export const IdempotencyKeySchema = new Schema<IdempotencyKeyRow>(
  {
    _id: { type: Schema.Types.Buffer, required: true },
    fingerprint: { type: Schema.Types.Buffer, required: true },
    status: { type: Number, required: true },
    headers: { type: Schema.Types.Mixed, required: true },
    body: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  schemaOptions(IDEMPOTENCY_KEYS),
);

// no query: the server deletes rows after a day
IdempotencyKeySchema.index({ createdAt: 1 }, { expireAfterSeconds: IDEMPOTENCY_KEY_TTL_SECONDS });
