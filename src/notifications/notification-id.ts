import { Binary, ObjectId } from 'mongodb';
import type { IdRange } from '../activity/actor-range.js';
import { KIND_OPTIONS, NOTIFICATION_KINDS, type NotificationKind } from './notification-kinds.js';

/** format of ids in responses: the 27 bytes of the key in base64url */
export const NOTIFICATION_ID = { length: 36, pattern: /^[A-Za-z0-9_-]{36}$/ };
const KEY_BYTES = 27;
const DAY_SECONDS = 86_400;

/** Returns the primary key of a group: user, kind, target, and the day (UTC) of the id `at`. */
export function notificationId(userId: ObjectId, kind: NotificationKind, targetId: ObjectId, at: ObjectId): Binary {
  return keyOf(userId, kind, targetId, Math.floor(secondsOf(at) / DAY_SECONDS));
}

/** Returns the range of keys of one user, kind and target over all days. */
export function daysOf(userId: ObjectId, kind: NotificationKind, targetId: ObjectId): { $gte: Binary; $lte: Binary } {
  return { $gte: keyOf(userId, kind, targetId, 0), $lte: keyOf(userId, kind, targetId, 0xffff) };
}

const KINDS = new Map(NOTIFICATION_KINDS.map((kind) => [KIND_OPTIONS[kind].byte, kind]));

/** Returns undefined for a kind that this program does not know. */
export function kindOf({ buffer }: Binary): NotificationKind | undefined {
  return KINDS.get(buffer[12]!);
}

export function targetOf({ buffer }: Binary): ObjectId {
  return new ObjectId(Uint8Array.from(buffer.subarray(13, 25)));
}

/** Returns the range of ids that a group counts: from its first row to the end of its day. */
export function rangeOf(_id: Binary, since: ObjectId): IdRange {
  const day = Buffer.from(_id.buffer).readUInt16BE(25);
  const end = Buffer.alloc(12);
  end.writeUInt32BE((day + 1) * DAY_SECONDS);
  return { $gte: since, $lt: new ObjectId(end) };
}

export function encodeId(_id: Binary): string {
  return Buffer.from(_id.buffer).toString('base64url');
}

/** Decodes an id of a response. Returns null if it is malformed or belongs to another account. */
export function decodeOwnId(id: string, userId: string): Binary | null {
  const bytes = Buffer.from(id, 'base64url');
  return bytes.length === KEY_BYTES && bytes.toString('hex', 0, 12) === userId ? new Binary(bytes) : null;
}

function keyOf(userId: ObjectId, kind: NotificationKind, targetId: ObjectId, day: number): Binary {
  const bytes = Buffer.alloc(KEY_BYTES);
  bytes.set(userId.id, 0);
  bytes[12] = KIND_OPTIONS[kind].byte;
  bytes.set(targetId.id, 13);
  bytes.writeUInt16BE(day, 25);
  return new Binary(bytes);
}

function secondsOf(id: ObjectId): number {
  return id.getTimestamp().getTime() / 1_000;
}
