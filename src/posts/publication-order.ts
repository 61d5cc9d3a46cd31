import { type Document, ObjectId } from 'mongodb';
import type { CursorPosition } from '../common/cursor.js';

/**
 * The order of every list of posts by time, newest first: time of the first publication (of a draft: of its start), then id.
 * A draft of January that is published in June is listed in June.
 */
export const LATEST = { createdAt: -1, _id: -1 } as const;
export const OLDEST = { createdAt: 1, _id: 1 } as const;

/** The position of a post: time and id, as in a cursor. */
export type Position = Pick<CursorPosition, 'value' | 'id'>;

export function positionOf({ _id, createdAt }: { _id: ObjectId; createdAt: Date }): CursorPosition {
  return { epoch: 0, value: createdAt.getTime(), id: _id.toHexString() };
}

/** Returns a filter for the posts after a position. */
export function olderThan({ value, id }: Position) {
  return afterPosition('createdAt', new Date(value), id);
}

/** Returns a filter for the posts before a position, which follow it in the order OLDEST. */
export function newerThan({ value, id }: Position): Document {
  const createdAt = new Date(value);
  return { createdAt: { $gte: createdAt }, $nor: [{ createdAt, _id: { $lte: ObjectId.createFromHexString(id) } }] };
}

/** Returns a filter for the positions after `after` (exclusive) down to `from` (inclusive). Null means no bound. */
export function betweenPositions(after: Position | null, from: Position | null): Document {
  if (from === null) return after === null ? {} : olderThan(after);
  const oldest = new Date(from.value);
  const older = { createdAt: oldest, _id: { $lt: ObjectId.createFromHexString(from.id) } };
  if (after === null) return { createdAt: { $gte: oldest }, $nor: [older] };
  const { createdAt, $nor } = olderThan(after);
  return { createdAt: { ...(createdAt as Document), $gte: oldest }, $nor: [...($nor as Document[]), older] };
}

/** Whether position `a` comes after position `b` in a list. */
export function isOlder(a: Position, b: Position): boolean {
  return a.value < b.value || (a.value === b.value && a.id < b.id);
}

/**
 * Returns a filter for the rows after a position in a descending order of (path, _id), as one index range. Values are practically
 * unique, so an exact tie costs one skipped document.
 */
export function afterPosition(path: string, value: number | Date, id: string): Document {
  return {
    [path]: { $lte: value },
    $nor: [{ [path]: value, _id: { $gte: ObjectId.createFromHexString(id) } }],
  };
}
