import type { ObjectId } from 'mongodb';
import type { NotificationSettings } from '../notification-settings.js';

const DAY_MS = 86_400_000;
const MONDAY = 1;

/** The length of the period that one digest covers, in ms. */
export function periodMs(digest: 'daily' | 'weekly'): number {
  return digest === 'daily' ? DAY_MS : 7 * DAY_MS;
}

/** The offset of an account's digest within its hour, so that not all digests of an hour are due at once. */
export function digestOffsetMs(userId: ObjectId): number {
  return (Number.parseInt(userId.toHexString().slice(-6), 16) % 3_600) * 1_000;
}

/**
 * Returns the next time after `after` at the digest hour of the time zone, on a Monday for weekly digests. Returns null when digests are
 * off. An hour skipped by a DST change moves to the next hour; a repeated hour counts once.
 */
export function nextDigestAt(
  { digest, digestHour, timeZone }: Pick<NotificationSettings, 'digest' | 'digestHour' | 'timeZone'>,
  after: Date,
  offsetMs = 0,
): Date | null {
  if (digest === 'off') return null;
  const today = wallClockAt(after.getTime(), timeZone);
  // The loop ends within eight days, which include a Monday whose digest hour is in the future.
  for (let days = 0; ; days++) {
    const wall = new Date(today);
    wall.setUTCHours(0, 0, 0, 0);
    wall.setUTCDate(wall.getUTCDate() + days);
    wall.setUTCHours(digestHour);
    if (digest === 'weekly' && wall.getUTCDay() !== MONDAY) continue;
    const at = instantOf(wall.getTime(), timeZone) + offsetMs;
    if (at > after.getTime()) return new Date(at);
  }
}

/** The offsets before and after a DST change differ, so the second step corrects the first guess. */
function instantOf(wall: number, timeZone: string): number {
  const guess = wall - offsetAt(wall, timeZone);
  return wall - offsetAt(guess, timeZone);
}

function offsetAt(instant: number, timeZone: string): number {
  return wallClockAt(instant, timeZone) - instant;
}

/** Returns the local time of the zone, encoded as if it were UTC, in ms with whole seconds. */
function wallClockAt(instant: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const { year, month, day, hour, minute, second } = parts as Record<string, number>;
  return Date.UTC(year!, month! - 1, day, hour, minute, second);
}
