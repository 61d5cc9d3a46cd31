import { MongoServerError } from 'mongodb';

export const DUPLICATE_KEY = 11_000;

/** Whether a unique index has refused the write. */
export function isDuplicateKey(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}
