import type { Db } from 'mongodb';
import type { StoredScoreEpoch } from '../../src/ranking/ranking.schema.js';
import { otherSlot } from '../../src/ranking/score-epoch.js';

/** Changes the ranks of a share of the listed posts in the next slot, so that the job finds differences. */
export async function moveRanks(db: Db, share: number): Promise<void> {
  const epoch = await db.collection<StoredScoreEpoch>('score_epochs').findOne();
  const slot = otherSlot(epoch?.slot ?? 'A');
  const moved = share >= 1 ? { isListed: true } : { isListed: true, $expr: { $lt: [{ $rand: {} }, share] } };
  // Updating all posts with the indexes in place would take longer than the measured work.
  const indexes = share >= 1 ? await rankIndexesOf(db, slot) : [];
  for (const { name } of indexes) await db.collection('posts').dropIndex(name);
  await db.collection('posts').updateMany(moved, { $mul: { [`rank.hot${slot}`]: 1.5 } });
  if (indexes.length > 0) await db.command({ createIndexes: 'posts', indexes });
  // Simulates a job after 15 minutes. A run right after another first waits until no process reads the slot.
  await db.collection('score_epochs').updateOne({}, { $set: { previousUntil: new Date(0) } });
}

async function rankIndexesOf(db: Db, slot: string): Promise<{ name: string }[]> {
  const all = (await db.collection('posts').listIndexes().toArray()) as { name: string; key: object }[];
  const isOfSlot = (field: string) => field.startsWith('rank.') && field.endsWith(slot);
  return all.filter(({ key }) => Object.keys(key).some(isOfSlot));
}
