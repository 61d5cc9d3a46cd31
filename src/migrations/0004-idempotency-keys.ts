import { gunzipSync } from 'node:zlib';
import type { Binary } from 'mongodb';
import type { Migration } from '../platform/migrations/migration.js';

/** 0.1.0 stored the body of a response as bytes. IdempotencyService finds these rows by their earlier ids for a day. */
export const IDEMPOTENCY_KEYS: Migration = {
  number: 4,
  name: 'idempotency keys',
  summary: 'Changes stored responses of 0.1.0 to text, so that repeated requests get their first response.',
  oldestProgram: 4,
  steps: () => [
    {
      collection: 'idempotency_keys',
      pending: { isGzip: { $exists: true } },
      change: (rows) =>
        rows.map(({ _id, body, isGzip }) => {
          const { buffer } = body as Binary;
          const text = (isGzip === true ? gunzipSync(buffer) : Buffer.from(buffer)).toString();
          return { updateOne: { filter: { _id }, update: { $set: { body: text }, $unset: { isGzip: true } } } };
        }),
    },
  ],
};
