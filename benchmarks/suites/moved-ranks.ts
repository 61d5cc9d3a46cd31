import type { Db } from 'mongodb';
import { otherSlot, type ScoreEpochRow } from '../../src/posts/ranking/score-epoch.js';

/**
 * Puts the ranks of a share of the listed posts aside, in the slot that is filled next, and has them due, so that the job finds them
 * moved, and at once.
 */
export async function moveRanks(db: Db, share: number): Promise<void> {
  const epoch = await db.collection<ScoreEpochRow>('score_epochs').findOne();
  const slot = otherSlot(epoch?.slot ?? 'A');
  const moved = share >= 1 ? { isListed: true } : { isListed: true, $expr: { $lt: [{ $rand: {} }, share] } };
  // all of them with the indexes in place would take longer than everything that is measured
  const indexes = share >= 1 ? await rankIndexesOf(db, slot) : [];
  for (const { name } of indexes) await db.collection('posts').dropIndex(name);
  await db.collection('posts').updateMany(moved, {
    $mul: { [`rank.hot${slot}`]: 1.5 },
    $set: { 'rank.due': new Date(0) },
  });
  if (indexes.length > 0) await db.command({ createIndexes: 'posts', indexes });
  // as the timetable finds it after 15 minutes; a run by hand right after another first waits until nobody reads the slot, and
  // looks again at what the last three minutes marked: votes of another suite
  const quietFor15Minutes = { previousUntil: new Date(0), marksSince: new Date() };
  await db.collection('score_epochs').updateOne({}, { $set: quietFor15Minutes });
}

async function rankIndexesOf(db: Db, slot: string): Promise<{ name: string }[]> {
  const all = (await db.collection('posts').listIndexes().toArray()) as { name: string; key: object }[];
  const isOfSlot = (field: string) => field === 'rank.due' || (field.startsWith('rank.') && field.endsWith(slot));
  return all.filter(({ key }) => Object.keys(key).some(isOfSlot));
}
