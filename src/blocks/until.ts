import { CodedError } from '../common/errors.js';

/** Whether a mute or filter has not expired. */
export function isInForce({ until }: { until: Date | null }): boolean {
  return until === null || until.getTime() > Date.now();
}

/** Returns null without an end. @param until RFC 3339. @throws CodedError `invalid_expiry` */
export function endOf(until: string | null | undefined): Date | null {
  if (until === undefined || until === null) return null;
  const end = new Date(until);
  if (end.getTime() > Date.now()) return end;
  throw new CodedError('invalid_expiry', 'The end must be in the future.', {
    fields: [{ field: 'until', message: 'must be in the future' }],
  });
}
