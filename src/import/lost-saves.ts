import type { Db, ObjectId } from 'mongodb';
import { INTERACTIONS } from '../interactions/interaction.schema.js';
import { note, type Report } from './report.js';

/**
 * OpenCanvas converted some saved rows into votes without a trace. Reports the accounts that may be affected: they have votes but no saved
 * posts.
 */
export async function reportLostSaves(db: Db, report: Report): Promise<void> {
  const countOf = (kind: string) => ({ $sum: { $cond: [{ $eq: ['$kind', kind] }, 1, 0] } });
  const voters = db.collection(INTERACTIONS).aggregate<{ _id: ObjectId }>(
    [
      { $group: { _id: '$userId', votes: countOf('vote'), saves: countOf('save') } },
      { $match: { votes: { $gt: 0 }, saves: 0 } },
      { $project: { _id: 1 } },
      // The report lists the first ids.
      { $sort: { _id: 1 } },
    ],
    { allowDiskUse: true },
  );
  const reasons = (report['interactions'] ??= { read: 0, taken: 0, unchanged: 0, skipped: {}, changed: {} }).changed;
  const reason = 'an account that votes and has saved nothing: possibly lost there';
  delete reasons[reason];
  for await (const { _id } of voters) note(reasons, reason, _id.toHexString());
}
