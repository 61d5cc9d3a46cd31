import { requireFuture } from '../common/future-date.js';

/** Whether a mute or filter has not expired. */
export function isInForce({ until }: { until: Date | null }): boolean {
  return until === null || until.getTime() > Date.now();
}

/** Returns null without an end. @param until RFC 3339. @throws CodedError `invalid_expiry` */
export function endOf(until: string | null | undefined): Date | null {
  return until === undefined || until === null ? null : requireFuture(until, 'until');
}
