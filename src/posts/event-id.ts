import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Binary, ObjectId } from 'mongodb';
import { type EventKind, eventKey } from '../common/event-keys.js';
import type { Viewer } from '../platform/http/viewer.js';

/** Who looked, for counting once: the account, or else address and agent. Never stored as it is. */
export function eventViewer(viewer: Viewer | null, address: string, userAgent: string | undefined): string {
  return viewer === null ? `a:${network(address)}\n${userAgent ?? ''}` : `u:${viewer.id}`;
}

/** One household has 2^64 addresses in IPv6, and may take another for each request. */
function network(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1]!;
  const [head = '', tail] = address.toLowerCase().split('::', 2);
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array<string>(Math.max(0, missing)).fill('0'), ...right];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

/** Windows are aligned to the epoch, so every process on every host has the same ones. */
export function windowEnd(now: number, windowHours: number): Date {
  const length = windowHours * 3_600_000;
  return new Date((Math.floor(now / length) + 1) * length);
}

/** The primary key of an event; its hash is keyed, so that nobody who reads the rows can tell who looked at what. */
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

/** The days of a post: one range of the primary key (`;` comes right after `:`). */
export function daysOf(postId: ObjectId): { _id: { $gte: string; $lt: string } } {
  const hex = postId.toHexString();
  return { _id: { $gte: `${hex}:`, $lt: `${hex};` } };
}
