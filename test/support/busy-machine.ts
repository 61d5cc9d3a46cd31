import type { INestApplicationContext } from '@nestjs/common';
import { runningGroups } from '../../src/common/group-commit.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { EngagementJob } from '../../src/ranking/engagement.job.js';
import { OpenSearchReader } from '../../src/search/opensearch/opensearch-reader.js';
import { SearchEngine } from '../../src/search/search-index.js';

// Time limits of the database for a machine that runs other specs, too: there, a limit of production would end what only takes long.
// A spec about a limit sets its own.
export const POOL_WAIT_MS = '60000';
const TRANSACTION_MS = 60_000;
const BATCH_MS = 300_000;
/** of the mongod of the run: longer than every transaction */
export const TRANSACTION_LIFETIME_SECONDS = '90';

export function allowSlowTransactions({ limits }: MongoService): void {
  limits.timeoutMs = TRANSACTION_MS;
  limits.row.waitMs = TRANSACTION_MS;
}

/** Raises the limits of transactions, of the queue for a shared commit, of the batches of the score job, and of OpenSearch. */
export function allowSlowDatabase(app: Pick<INestApplicationContext, 'get'>): void {
  allowSlowTransactions(app.get(MongoService));
  for (const group of runningGroups()) group.maxWaitMs = TRANSACTION_MS;
  app.get(EngagementJob).batchLimitMs = BATCH_MS;
  const { reader } = app.get(SearchEngine);
  if (reader instanceof OpenSearchReader) reader.deadlineMs = TRANSACTION_MS;
}
