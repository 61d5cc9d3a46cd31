import { createHmac } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { Binary, type ObjectId } from 'mongodb';
import type { Viewer } from '../platform/http/viewer.js';
import type { PostEventKind } from './post-event.schema.js';

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
export function windowAt(now: number, windowHours: number): { index: number; endsAt: Date } {
  const length = windowHours * 3_600_000;
  const index = Math.floor(now / length);
  return { index, endsAt: new Date((index + 1) * length) };
}

const MAC_BYTES = 16;

/**
 * The primary key of an event: the post, then a keyed hash, so that nobody who reads the rows can tell who looked at what. Beginning
 * with the post, it serves what is asked of all events of a post, too.
 */
export function eventId(key: string, viewer: string, postId: ObjectId, kind: PostEventKind, window: number): Binary {
  const mac = createHmac('sha256', key).update(`${postId.toHexString()}\n${kind}\n${window}\n${viewer}`).digest();
  return new Binary(Buffer.concat([postId.id, mac.subarray(0, MAC_BYTES)]));
}

/** The events of a post: one range of the primary key. */
export function eventsOf(postId: ObjectId): { _id: { $gte: Binary; $lte: Binary } } {
  const edge = (byte: number): Binary => new Binary(Buffer.concat([postId.id, Buffer.alloc(MAC_BYTES, byte)]));
  return { _id: { $gte: edge(0x00), $lte: edge(0xff) } };
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
