import { type Document, ObjectId } from 'mongodb';
import type { CursorPosition } from '../common/cursor.js';

/**
 * The order of every list of posts by time, newest first. `createdAt` is when a post was first published (of a draft: when it was
 * begun), so a draft of January that is published in June stands in June. Ids tell posts of one millisecond apart.
 */
export const LATEST = { createdAt: -1, _id: -1 } as const;

/** Where a post stands in it, for a cursor. */
export function placeInLatest({ _id, createdAt }: { _id: ObjectId; createdAt: Date }): CursorPosition {
  return { epoch: 0, value: createdAt.getTime(), id: _id.toHexString() };
}

/** What comes after a place in it. */
export function afterInLatest({ value, id }: Pick<CursorPosition, 'value' | 'id'>) {
  return afterPlace('createdAt', new Date(value), id);
}

/**
 * What comes after a place in a descending order of (path, _id), as a filter of one index range. Values are practically unique: the
 * exact tie costs the one document that is skipped.
 */
export function afterPlace(path: string, value: number | Date, id: string): Document {
  return {
    [path]: { $lte: value },
    $nor: [{ [path]: value, _id: { $gte: ObjectId.createFromHexString(id) } }],
  };
}
