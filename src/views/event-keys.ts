import { hash } from 'node:crypto';
import { Binary, type Collection, type Document, type ObjectId } from 'mongodb';
import type { OwnerRange } from '../audit/counter-registry.js';
import { networkOf } from '../common/networks.js';
import { type Viewer, weighsAsVisitor } from '../platform/access/viewer.js';
import type { ReadOptions } from '../platform/mongo/lean-reads.js';

/**
 * Kinds of events. The byte is part of a primary key and must never change. `counter` is the counter of a post, `day` the counter of a day.
 * `ofVisitors` counts the events of visitors in both.
 */
export const EVENT_KINDS = {
  view: { byte: 1, counter: 'viewsCount', day: 'views', ofVisitors: null },
  read: { byte: 2, counter: 'readsCount', day: 'reads', ofVisitors: 'visitorReads' },
  share: { byte: 3, counter: 'sharesCount', day: 'shares', ofVisitors: 'visitorShares' },
} as const;
export type EventKind = keyof typeof EVENT_KINDS;

const END_BYTES = 4;
const OBJECT_ID_BYTES = 12;
const MAC_BYTES = 11;
const KEY_BYTES = END_BYTES + OBJECT_ID_BYTES + 1 + MAC_BYTES;

type KeyRange = { _id: { $gt?: Binary; $lt?: Binary; $lte?: Binary } };

/**
 * Returns the primary key of an event: the end of its window (seconds), the post, the kind, and a keyed hash of the viewer, so that rows do
 * not reveal viewers. Queries are key ranges: all events of ended windows, or the events of a post in one window.
 */
export function eventId(secret: string, viewer: string, postId: ObjectId, kind: EventKind, endsAt: Date): Binary {
  const seconds = endsAt.getTime() / 1_000;
  // A key prefix is a MAC if the hash has a state larger than its output, and costs two fifths of an HMAC's CPU.
  const mac = hash('sha512-256', `${secret}\n${postId.toHexString()}\n${kind}\n${seconds}\n${viewer}`, 'buffer');
  const key = keyFrom(endsAt, 0);
  key.set(postId.id, END_BYTES);
  key[END_BYTES + OBJECT_ID_BYTES] = EVENT_KINDS[kind].byte;
  key.set(mac.subarray(0, MAC_BYTES), KEY_BYTES - MAC_BYTES);
  return new Binary(key);
}

export function windowEndOf(key: Binary): Date {
  return new Date(Buffer.from(key.buffer).readUInt32BE(0) * 1_000);
}

/** Returns the range of events whose windows ended at or before this time. */
export function eventsEndedBy(time: Date): KeyRange {
  return { _id: { $lt: new Binary(keyFrom(new Date(time.getTime() + 1_000), 0)) } };
}

/** Returns the range of events of these posts in the window with this end. */
export function eventsOf(posts: OwnerRange, endsAt: Date): KeyRange {
  const [before, last] =
    '$eq' in posts ? [edge(endsAt, posts.$eq, 0x00), posts.$eq] : [edge(endsAt, posts.$gt, 0xff), posts.$lte];
  return { _id: { $gt: before, $lte: edge(endsAt, last, 0xff) } };
}

/** Returns the ends of all windows with events, one seek each: the current window, and windows not yet folded into days. */
export async function openWindows<Row extends Document>(
  events: Collection<Row>,
  session?: ReadOptions['session'],
): Promise<Date[]> {
  const ends: Date[] = [];
  const keys = events as unknown as Collection<{ _id: Binary }>;
  for (let from = new Binary(new Uint8Array(KEY_BYTES)); ;) {
    const row = await keys.findOne({ _id: { $gte: from } }, { sort: { _id: 1 }, projection: { _id: 1 }, session });
    if (row === null) return ends;
    const endsAt = windowEndOf(row._id);
    ends.push(endsAt);
    from = new Binary(keyFrom(new Date(endsAt.getTime() + 1_000), 0));
  }
}

function edge(endsAt: Date, postId: ObjectId, filler: number): Binary {
  const key = keyFrom(endsAt, filler);
  key.set(postId.id, END_BYTES);
  return new Binary(key);
}

function keyFrom(endsAt: Date, filler: number): Buffer {
  const key = Buffer.alloc(KEY_BYTES, filler);
  key.writeUInt32BE(Math.floor(endsAt.getTime() / 1_000), 0);
  return key;
}

/** number of visitors that count in a /24 or /48 */
const PLACES = 8;

/** Returns the viewer for deduplication: the verified account, otherwise the bucket of the address. Never stored in this form. */
export function eventViewer(viewer: Pick<Viewer, 'id' | 'isEmailVerified'> | null, address: string): string {
  return viewer === null || weighsAsVisitor(viewer) ? `a:${placeOf(address)}` : `u:${viewer.id}`;
}

/**
 * Returns one of the eight buckets of a /24 (IPv4) or a /48 (IPv6). A household has one IPv4 address, or a /56 of IPv6; a whole /24 or /48
 * may belong to one customer (docs/adr/0010-what-a-visitor-counts.md). Ignores the user agent, because clients can forge it.
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

/** Aligns windows to the epoch, so that all processes and hosts use the same windows. */
export function windowEnd(now: number, windowHours: number): Date {
  const length = windowHours * 3_600_000;
  return new Date((Math.floor(now / length) + 1) * length);
}

/** Returns the id of a day of a post, `<postId>:<yyyy-mm-dd>`. */
export function dayId(postId: ObjectId, day: string): string {
  return `${postId.toHexString()}:${day}`;
}

/** Selects the days of these posts: one range of the primary key (`;` follows `:`). */
export function daysOf(posts: OwnerRange): { _id: { $gte: string; $lt: string } } {
  const [first, last] =
    '$eq' in posts ? [dayId(posts.$eq, ''), posts.$eq] : [`${posts.$gt.toHexString()};`, posts.$lte];
  return { _id: { $gte: first, $lt: `${last.toHexString()};` } };
}
