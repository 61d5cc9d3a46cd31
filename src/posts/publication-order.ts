import { type Document, ObjectId } from 'mongodb';
import type { CursorPosition } from '../common/cursor.js';

/**
 * The order of every list of posts by time, newest first. `createdAt` is the time of the first publication (of a draft: of its start),
 * so a draft of January that is published in June is listed in June. Ids order posts of the same millisecond.
 */
export const LATEST = { createdAt: -1, _id: -1 } as const;

/** The position of a post: time and id, as in a cursor. */
export type Position = Pick<CursorPosition, 'value' | 'id'>;

export function positionOf({ _id, createdAt }: { _id: ObjectId; createdAt: Date }): CursorPosition {
  return { epoch: 0, value: createdAt.getTime(), id: _id.toHexString() };
}

/** A filter for the posts after a place. */
export function olderThan({ value, id }: Position) {
  return afterPosition('createdAt', new Date(value), id);
}

/** From the place after `after` down to and including `from`; null: no bound. */
export function betweenPositions(after: Position | null, from: Position | null): Document {
  if (from === null) return after === null ? {} : olderThan(after);
  const oldest = new Date(from.value);
  const older = { createdAt: oldest, _id: { $lt: ObjectId.createFromHexString(from.id) } };
  if (after === null) return { createdAt: { $gte: oldest }, $nor: [older] };
  const { createdAt, $nor } = olderThan(after);
  return { createdAt: { ...(createdAt as Document), $gte: oldest }, $nor: [...($nor as Document[]), older] };
}

/** Whether a place comes after another one. */
export function isOlder(a: Position, b: Position): boolean {
  return a.value < b.value || (a.value === b.value && a.id < b.id);
}

/**
 * A filter for the rows after a place in a descending order of (path, _id), as one index range. Values are practically unique: an exact
 * tie costs one skipped document.
 */
export function afterPosition(path: string, value: number | Date, id: string): Document {
  return {
    [path]: { $lte: value },
    $nor: [{ [path]: value, _id: { $gte: ObjectId.createFromHexString(id) } }],
  };
}
