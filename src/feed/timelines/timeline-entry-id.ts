import { Binary, ObjectId } from 'mongodb';
import type { Position } from '../../posts/publication-order.js';

const TIME_AT = 12;
const POST_AT = 18;
const AUTHOR_AT = 30;
const LENGTH = 42;
const LAST_TIME = 2 ** 48 - 1;

/** An entry of a timeline, with ids as hex. */
export type TimelineEntry = Position & { authorId: string };

/**
 * Returns the primary key of an entry (home, time, post, author), so that a repeated insert has no effect. Within a home, keys sort in
 * the reverse order of LATEST.
 */
export function entryId(timelineId: ObjectId, { value, id, authorId }: TimelineEntry): Binary {
  return new Binary(key(timelineId, value, id, authorId));
}

/** Decodes a key. @param at the offset of its bytes */
export function readEntry(buffer: Buffer, at: number): TimelineEntry {
  return {
    value: buffer.readUIntBE(at + TIME_AT, 6),
    id: buffer.toString('hex', at + POST_AT, at + AUTHOR_AT),
    authorId: buffer.toString('hex', at + AUTHOR_AT, at + LENGTH),
  };
}

/** Returns the key range of a home: older than `after`, and not older than `from`. */
export function entryRange(timelineId: ObjectId, after: Position | null = null, from: Position | null = null) {
  const $gte = new Binary(key(timelineId, from?.value ?? 0, from?.id ?? ''));
  if (after !== null) return { $gte, $lt: new Binary(key(timelineId, after.value, after.id)) };
  return { $gte, $lte: new Binary(key(timelineId, LAST_TIME, 'f'.repeat(24), 'f'.repeat(24))) };
}

function key(timelineId: ObjectId, time: number, postId: string, authorId = ''): Buffer {
  const bytes = Buffer.alloc(LENGTH);
  bytes.set(timelineId.id);
  bytes.writeUIntBE(time, TIME_AT, 6);
  bytes.write(postId, POST_AT, 'hex');
  bytes.write(authorId, AUTHOR_AT, 'hex');
  return bytes;
}
