import { Binary, type ObjectId } from 'mongodb';

const OBJECT_ID_BYTES = 12;

/** The primary key of a row that may exist once per ordered pair: 24 bytes, `first` then `second`. */
export function pairId(first: ObjectId, second: ObjectId): Binary {
  const bytes = new Uint8Array(2 * OBJECT_ID_BYTES);
  bytes.set(first.id, 0);
  bytes.set(second.id, OBJECT_ID_BYTES);
  return new Binary(bytes);
}
