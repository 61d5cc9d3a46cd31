import type { ObjectId } from 'mongodb';

/** Removes duplicate ids, in the order of their first occurrence. */
export function uniqueIds(ids: Iterable<ObjectId>): ObjectId[] {
  return [...new Map([...ids].map((id) => [id.toHexString(), id])).values()];
}
