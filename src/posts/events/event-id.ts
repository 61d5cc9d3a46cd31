import { hash } from 'node:crypto';
import type { Binary, ObjectId } from 'mongodb';
import { type EventKind, eventKey } from './event-keys.js';
import { networkOf } from '../../common/networks.js';
import type { Viewer } from '../../platform/access/viewer.js';

/** so many visitors of a /24 or /48 count */
const PLACES = 8;

/** Who looked, for counting once: the account, or else the place that the request came from. Never stored as it is. */
export function eventViewer(viewer: Viewer | null, address: string): string {
  return viewer === null ? `a:${placeOf(address)}` : `u:${viewer.id}`;
}

/**
 * One of the eight places of a /24 (IPv4) or a /48 (IPv6). A household has one IPv4 address, or a /56 of IPv6; a whole /24 or /48 may
 * belong to one customer (docs/adr/0010-what-a-visitor-counts.md). The client's own words are left out: it may say anything.
 */
function placeOf(address: string): string {
  const network = networkOf(address);
  if (!network.includes(':')) {
    const end = network.lastIndexOf('.');
    return `${network.slice(0, end)} ${Number(network.slice(end + 1)) % PLACES}`;
  }
  const [first, second, third, subnet = '0'] = network.split(':');
  return `${first}:${second}:${third} ${(parseInt(subnet, 16) >> 8) % PLACES}`;
}

/** Windows are aligned to the epoch, so every process on every host has the same ones. */
export function windowEnd(now: number, windowHours: number): Date {
  const length = windowHours * 3_600_000;
  return new Date((Math.floor(now / length) + 1) * length);
}

/** The primary key of an event; its hash is keyed, so that the rows do not tell who looked at what. */
export function eventId(key: string, viewer: string, postId: ObjectId, kind: EventKind, endsAt: Date): Binary {
  const seconds = endsAt.getTime() / 1_000;
  // a key in front makes a MAC of a hash whose state is larger than what it gives, for two fifths of an HMAC's CPU
  const mac = hash('sha512-256', `${key}\n${postId.toHexString()}\n${kind}\n${seconds}\n${viewer}`, 'buffer');
  return eventKey(endsAt, postId, kind, mac);
}

/** A day of a post, `<postId>:<yyyy-mm-dd>`. */
export function dayId(postId: ObjectId, day: string): string {
  return `${postId.toHexString()}:${day}`;
}

type DayRange = { _id: { $gte: string; $lt: string } };

/** The days of a post: one range of the primary key (`;` comes right after `:`). */
export function daysOf(postId: ObjectId): DayRange {
  return { _id: { $gte: dayId(postId, ''), $lt: `${postId.toHexString()};` } };
}

/** The days of posts from `after` (exclusive) to `upTo` (inclusive). */
export function daysBetween(after: ObjectId, upTo: ObjectId): DayRange {
  return { _id: { $gte: `${after.toHexString()};`, $lt: `${upTo.toHexString()};` } };
}
