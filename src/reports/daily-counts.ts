import type { Db } from 'mongodb';
import { type Day, median } from '../audit/daily-counts.js';
import { CASES, type ReportCase, REPORTS } from './report.schema.js';

/** More decisions of a day do not change its median much. */
const MAX_DECISIONS = 10_000;

export function countReports(db: Db, { from, to }: Day): Promise<number> {
  return db.collection(REPORTS).countDocuments({ createdAt: { $gte: from, $lt: to } });
}

/** Returns the median time from the first report to the decision, of the cases that moderators decided on the day. */
export async function firstActionSeconds(db: Db, { from, to }: Day): Promise<number | null> {
  const decided = { closedAt: { $gte: from, $lt: to }, outcome: { $ne: 'deleted' as const } };
  const rows = await db
    .collection<ReportCase>(CASES)
    .find(decided, { projection: { firstAt: 1, closedAt: 1 }, limit: MAX_DECISIONS })
    .toArray();
  return median(rows.map(({ firstAt, closedAt }) => Math.round((closedAt!.getTime() - firstAt.getTime()) / 1_000)));
}
