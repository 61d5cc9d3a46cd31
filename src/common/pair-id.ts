import { Binary, ObjectId } from 'mongodb';

const FIRST_ID = new ObjectId(new Uint8Array(12));
const LAST_ID = new ObjectId(new Uint8Array(12).fill(0xff));

/** The primary key of a row that may exist once per ordered pair: 24 bytes, `first` then `second`. */
export function pairId(first: ObjectId, second: ObjectId): Binary {
  return new Binary(Buffer.concat([first.id, second.id]));
}

export function firstOf(pair: Binary): ObjectId {
  return new ObjectId(pair.buffer.subarray(0, 12));
}

/** Returns a filter for all pairs with this first id. */
export function pairsOf(first: ObjectId): { $gte: Binary; $lte: Binary } {
  return { $gte: pairId(first, FIRST_ID), $lte: pairId(first, LAST_ID) };
}

export function secondOf(pair: Binary): ObjectId {
  return new ObjectId(pair.buffer.subarray(12, 24));
}
