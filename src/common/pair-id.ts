import { Binary, ObjectId } from 'mongodb';

/** The primary key of a row that may exist once per ordered pair: 24 bytes, `first` then `second`. */
export function pairId(first: ObjectId, second: ObjectId): Binary {
  return new Binary(Buffer.concat([first.id, second.id]));
}

/** The second id of a pair. */
export function secondOf(pair: Binary): ObjectId {
  return new ObjectId(pair.buffer.subarray(12, 24));
}
