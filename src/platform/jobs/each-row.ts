import { isDatabaseOutage } from '../../common/database-outage.js';
import { CodedError } from '../../common/errors.js';

/**
 * Runs a job over a list: a failed row does not stop the later rows. An outage stops the job, because every later row would wait for the
 * end of the outage.
 * @throws an outage immediately, any other first error after the last row, or the signal's reason
 */
export async function eachRow<Row>(
  rows: readonly Row[],
  signal: AbortSignal,
  work: (row: Row) => Promise<void>,
): Promise<void> {
  const failed: unknown[] = [];
  for (const row of rows) {
    signal.throwIfAborted();
    await work(row).catch((error: unknown) => {
      if (isOutage(error)) throw error;
      failed.push(error);
    });
  }
  if (failed.length > 0) throw failed[0] as Error;
}

function isOutage(error: unknown): boolean {
  return isDatabaseOutage(error) || (error instanceof CodedError && error.status >= 500);
}
