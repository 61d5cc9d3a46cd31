import { Binary, type ClientSession, type Collection, type Document, type ObjectId } from 'mongodb';

/** What a reader did to a post; the byte is part of a primary key and must never change. */
const EVENT_KIND_BYTES = { view: 1, read: 2, share: 3 } as const;
export type EventKind = keyof typeof EVENT_KIND_BYTES;

const END_BYTES = 4;
const OBJECT_ID_BYTES = 12;
const MAC_BYTES = 11;
const KEY_BYTES = END_BYTES + OBJECT_ID_BYTES + 1 + MAC_BYTES;

type KeyRange = { _id: { $gt?: Binary; $gte?: Binary; $lt?: Binary; $lte?: Binary } };

/**
 * The primary key of an event: the end of its window (seconds), the post, the kind, and a keyed hash of the viewer. What is asked of
 * events is a range of it: those whose window is over, and within each window those of a post.
 */
export function eventKey(endsAt: Date, postId: ObjectId, kind: EventKind, mac: Uint8Array): Binary {
  const key = keyFrom(endsAt, 0);
  key.set(postId.id, END_BYTES);
  key[END_BYTES + OBJECT_ID_BYTES] = EVENT_KIND_BYTES[kind];
  key.set(mac.subarray(0, MAC_BYTES), KEY_BYTES - MAC_BYTES);
  return new Binary(key);
}

/** The end of the window that a key begins with. */
export function windowEndOf(key: Binary): Date {
  return new Date(Buffer.from(key.buffer).readUInt32BE(0) * 1_000);
}

/** Events of windows that ended at this time or before. */
export function eventsEndedBy(time: Date): KeyRange {
  return { _id: { $lt: new Binary(keyFrom(new Date(time.getTime() + 1_000), 0)) } };
}

/** Events of a post in the window that ends then. */
export function eventsOf(postId: ObjectId, endsAt: Date): KeyRange {
  return { _id: { $gte: edge(endsAt, postId, 0x00), $lte: edge(endsAt, postId, 0xff) } };
}

/** Events of posts from `after` (exclusive) to `upTo` (inclusive) in the window that ends then. */
export function eventsBetween(after: ObjectId, upTo: ObjectId, endsAt: Date): KeyRange {
  return { _id: { $gt: edge(endsAt, after, 0xff), $lte: edge(endsAt, upTo, 0xff) } };
}

/** The ends of all windows that have events, one seek each: the present one, and what is not yet folded into days. */
export async function windowsOf<Row extends Document>(
  events: Collection<Row>,
  session?: ClientSession,
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
