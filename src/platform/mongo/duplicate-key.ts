import { MongoServerError } from 'mongodb';

export const DUPLICATE_KEY = 11_000;

/** Whether a write failed because of a unique index. */
export function isDuplicateKey(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}
