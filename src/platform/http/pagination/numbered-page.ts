import { CodedError } from '../../../common/errors.js';

/** A page number (from 1) and size, for clients that do not support cursors. */
export type NumberedPage = { page: number; limit: number };

/** The last row that can be read. MongoDB scans all rows before a page, so later pages are rejected. */
export const MAX_NUMBERED = 10_000;

/** @throws CodedError `invalid_input` for a page behind the first 10,000 rows */
export function skipOf({ page, limit }: NumberedPage): { skip: number; limit: number } {
  const skip = (page - 1) * limit;
  if (skip + limit <= MAX_NUMBERED) return { skip, limit };
  const message = `must be within the first ${MAX_NUMBERED} rows`;
  throw new CodedError('invalid_input', `page ${message}.`, { fields: [{ field: 'page', message }] });
}
