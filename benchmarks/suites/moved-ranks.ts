import type { Db } from 'mongodb';
import { buildRankIndexes, listRankIndexes } from '../../src/posts/ranking/rank-indexes.service.js';
import { otherSlot, type ScoreEpochRow } from '../../src/posts/ranking/score-epoch.js';

/**
 * Puts the ranks of a share of the listed posts aside, in the slot that is filled next, and has them due, so that the job finds them
 * moved.
 */
export async function moveRanks(db: Db, share: number): Promise<void> {
  const epoch = await db.collection<ScoreEpochRow>('score_epochs').findOne();
  const slot = otherSlot(epoch?.slot ?? 'A');
  const moved = share >= 1 ? { isListed: true } : { isListed: true, $expr: { $lt: [{ $rand: {} }, share] } };
  // all of them with the indexes in place would take longer than everything that is measured
  const indexes = share >= 1 ? await listRankIndexes(db, slot) : [];
  if (indexes.length > 0) await db.command({ dropIndexes: 'posts', index: indexes.map(({ name }) => name) });
  await db.collection('posts').updateMany(moved, {
    $mul: { [`rank.hot${slot}`]: 1.5 },
    $set: { 'rank.due': new Date(0) },
  });
  await buildRankIndexes(db, indexes, new AbortController().signal);
}
