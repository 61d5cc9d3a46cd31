import { CodedError } from './errors.js';

/** @param text RFC 3339. @throws CodedError `invalid_expiry`, which names the field */
export function requireFuture(text: string, field: string): Date {
  const date = new Date(text);
  if (date.getTime() > Date.now()) return date;
  const message = 'must be in the future';
  throw new CodedError('invalid_expiry', `${field} ${message}.`, { fields: [{ field, message }] });
}
