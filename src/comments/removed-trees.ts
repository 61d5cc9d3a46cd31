import type { ClientSession, ObjectId } from 'mongodb';
import { type BatchCommands, byIds } from '../platform/mongo/batch-commands.js';
import { type Comment, COMMENTS } from './comment.schema.js';

type Below = Pick<Comment, 'ancestors'>;

export function idsAbove(rows: readonly Below[]): ObjectId[] {
  return [...new Map(rows.flatMap(({ ancestors }) => ancestors).map((id) => [id.toHexString(), id])).values()];
}

/** @param hiding the removed ancestors */
export function outsideOf<Row extends Below>(hiding: readonly { _id: ObjectId }[], rows: readonly Row[]): Row[] {
  const hidden = new Set(hiding.map(({ _id }) => _id.toHexString()));
  return rows.filter(({ ancestors }) => !ancestors.some((id) => hidden.has(id.toHexString())));
}

/** The comments that a transaction may read: those without a removed ancestor, since a removed tree is hidden in batches. */
export async function outsideRemovedTrees<Row extends Below>(
  rows: Row[],
  batch: BatchCommands,
  session: ClientSession,
): Promise<Row[]> {
  const above = idsAbove(rows);
  if (above.length === 0) return rows;
  const filter = { ...byIds(above), isVisible: false };
  const hiding = await batch.find<{ _id: ObjectId }>(
    { collectionName: COMMENTS },
    filter,
    { _id: 1 },
    above.length,
    session,
  );
  return outsideOf(hiding, rows);
}
