import type { Db } from 'mongodb';
import { createdOn, type Day } from '../audit/daily-counts.js';
import { SESSIONS } from './session.schema.js';

/**
 * Returns the accounts that signed in or refreshed their session on a day. An open page does so every few minutes. The rows of sessions have
 * this anyway, so no trace of an account is stored for the count.
 */
export async function countActiveAccounts(db: Db, day: Day): Promise<number> {
  const pipeline = [{ $match: createdOn(day) }, { $group: { _id: '$userId' } }, { $count: 'accounts' }];
  const [row] = await db.collection(SESSIONS).aggregate<{ accounts: number }>(pipeline).toArray();
  return row?.accounts ?? 0;
}
