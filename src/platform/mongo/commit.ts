import { setTimeout as sleep } from 'node:timers/promises';
import { MongoServerError } from 'mongodb';
import { isDatabaseOutage } from '../../common/database-outage.js';
import { CodedError } from '../../common/errors.js';

const FIRST_BACK_OFF_MS = 5;
const MAX_BACKOFF_MS = 250;
const MAX_TIME_MS_EXPIRED = 50;

/** Totals of this process: attempts of transactions that conflicted with another write, and commits without a response in time. */
export const transactionCounts = { conflicts: 0, unknownCommits: 0 };

/**
 * Commits, and retries the commit, which is idempotent. If the server may have received the commit, the transaction reruns only on
 * NoSuchTransaction; otherwise its effects could be applied twice.
 */
export async function commit(send: () => Promise<void>, deadline: number): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (isRolledBack(error)) throw error;
      const isOutage = isDatabaseOutage(error);
      if (attempt === 0 && !isOutage) throw error;
      const backOffMs = jitter(attempt);
      const isOver =
        performance.now() + backOffMs >= deadline || (error as { code?: unknown }).code === MAX_TIME_MS_EXPIRED;
      if (isOver || !isOutage || isClientClosed(error)) {
        transactionCounts.unknownCommits++;
        throw new CodedError('database_unavailable', 'The database did not confirm the write in time.', {
          retryAfterSeconds: 1,
          cause: error,
        });
      }
      await sleep(backOffMs);
    }
  }
}

/** Returns true only for a server error. For a broken connection the driver uses other labels or none. */
function isRolledBack(error: unknown): boolean {
  return error instanceof MongoServerError && error.hasErrorLabel('TransientTransactionError');
}

/** This process is stopping and has closed the client, so a retry cannot succeed. */
function isClientClosed(error: unknown): boolean {
  return /Closed|NotConnected|ExpiredSession/.test((error as Error).name);
}

/** Returns a backoff in ms with full jitter, so that conflicting attempts do not collide again. */
export function jitter(attempt: number): number {
  return Math.random() * Math.min(FIRST_BACK_OFF_MS * 2 ** attempt, MAX_BACKOFF_MS);
}
