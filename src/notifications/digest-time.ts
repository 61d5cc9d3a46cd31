import type { NotificationSettings } from './notification-settings.js';

const DAY_MS = 86_400_000;
const MONDAY = 1;

/** The time that one digest covers, in ms. */
export function periodMs(digest: 'daily' | 'weekly'): number {
  return digest === 'daily' ? DAY_MS : 7 * DAY_MS;
}

/**
 * The next time after `after` at which it is the chosen hour in the time zone, on a Monday for weekly digests; null when they are off. An
 * hour that a change of the clock leaves out is the one after it, and of an hour that comes twice it is one.
 */
export function nextDigestAt(
  { digest, digestHour, timeZone }: Pick<NotificationSettings, 'digest' | 'digestHour' | 'timeZone'>,
  after: Date,
): Date | null {
  if (digest === 'off') return null;
  const today = wallClockAt(after.getTime(), timeZone);
  // of the next eight days one is a Monday whose hour is to come
  for (let days = 0; ; days++) {
    const wall = new Date(today);
    wall.setUTCHours(0, 0, 0, 0);
    wall.setUTCDate(wall.getUTCDate() + days);
    wall.setUTCHours(digestHour);
    if (digest === 'weekly' && wall.getUTCDay() !== MONDAY) continue;
    const at = instantOf(wall.getTime(), timeZone);
    if (at > after.getTime()) return new Date(at);
  }
}

/** The offset is that of the hour before it or after it, where they differ. */
function instantOf(wall: number, timeZone: string): number {
  const guess = wall - offsetAt(wall, timeZone);
  return wall - offsetAt(guess, timeZone);
}

function offsetAt(instant: number, timeZone: string): number {
  return wallClockAt(instant, timeZone) - instant;
}

/** The wall clock of the zone, as if it were that of UTC; in whole seconds. */
function wallClockAt(instant: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const { year, month, day, hour, minute, second } = parts as Record<string, number>;
  return Date.UTC(year!, month! - 1, day, hour, minute, second);
}
