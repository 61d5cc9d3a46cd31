import type { Collection, Document, Filter } from 'mongodb';

/**
 * Removes what matches, `batchSize` rows at a time, each batch by `_id`: short locks, bounded oplog entries, and a place to stop
 * after every one.
 */
export async function deleteInBatches(
  collection: Collection,
  filter: Filter<Document>,
  batchSize: number,
  spend: (rows: number) => Promise<void>,
): Promise<number> {
  let removed = 0;
  for (;;) {
    const rows = await collection
      .find(filter, { projection: { _id: 1 } })
      .limit(batchSize)
      .toArray();
    if (rows.length === 0) return removed;
    await collection.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } });
    removed += rows.length;
    await spend(rows.length);
  }
}
