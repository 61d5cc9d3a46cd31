import type { ObjectId } from 'mongodb';

/** Each id once, in the order of its first place. */
export function uniqueIds(ids: Iterable<ObjectId>): ObjectId[] {
  return [...new Map([...ids].map((id) => [id.toHexString(), id])).values()];
}
