import { CodedError } from '../common/errors.js';
import { type Comment, COMMENTS } from './comment.schema.js';
import type { ObjectId } from 'mongodb';
import { byIds } from '../platform/mongo/update-statements.js';
import type { Transaction } from '../platform/mongo/transaction.js';

/** Whether a comment accepts replies and votes: visible and not a tombstone. Its post must accept both, too (posts/visibility). */
export function isLive<C extends Pick<Comment, 'deletedAt' | 'isVisible'>>(comment: C | undefined): comment is C {
  return comment !== undefined && comment.deletedAt === null && comment.isVisible;
}

export function commentNotFound(): CodedError {
  return new CodedError('comment_not_found', 'Comment not found.');
}

export function postLocked(): CodedError {
  return new CodedError('post_locked', 'This post is locked. Its comments can be deleted, but not added or edited.');
}

type WithAncestors = Pick<Comment, 'ancestors'>;

export function idsAbove(rows: readonly WithAncestors[]): ObjectId[] {
  return [...new Map(rows.flatMap(({ ancestors }) => ancestors).map((id) => [id.toHexString(), id])).values()];
}

/** Returns the rows that have none of the hidden ancestors. */
export function excludeBelow<Row extends WithAncestors>(
  hiddenAncestors: readonly { _id: ObjectId }[],
  rows: readonly Row[],
): Row[] {
  const hidden = new Set(hiddenAncestors.map(({ _id }) => _id.toHexString()));
  return rows.filter(({ ancestors }) => !ancestors.some((id) => hidden.has(id.toHexString())));
}

/** Returns the rows without a hidden ancestor, because a deleted tree is hidden in batches. */
export async function excludeHiddenTrees<Row extends WithAncestors>(rows: Row[], tx: Transaction): Promise<Row[]> {
  const above = idsAbove(rows);
  if (above.length === 0) return rows;
  const filter = { ...byIds(above), isVisible: false };
  const hiddenAncestors = await tx.find<{ _id: ObjectId }>(
    { collectionName: COMMENTS },
    filter,
    { _id: 1 },
    above.length,
  );
  return excludeBelow(hiddenAncestors, rows);
}
