import type { ClientSession, ObjectId } from 'mongodb';
import { type BatchCommands, byIds } from '../platform/mongo/batch-commands.js';
import { type CommentRow, COMMENTS } from './comment.schema.js';

/** Of comments that a transaction reads, those with no removed one above them: what is below a removed tree is hidden in batches. */
export async function outsideRemovedTrees<Row extends Pick<CommentRow, 'ancestors'>>(
  rows: Row[],
  batch: BatchCommands,
  session: ClientSession,
): Promise<Row[]> {
  const above = [...new Map(rows.flatMap(({ ancestors }) => ancestors).map((id) => [id.toHexString(), id])).values()];
  if (above.length === 0) return rows;
  const filter = { ...byIds(above), isVisible: false };
  const hiding = await batch.find<{ _id: ObjectId }>(
    { collectionName: COMMENTS },
    filter,
    { _id: 1 },
    above.length,
    session,
  );
  const hidden = new Set(hiding.map(({ _id }) => _id.toHexString()));
  return rows.filter(({ ancestors }) => !ancestors.some((id) => hidden.has(id.toHexString())));
}
