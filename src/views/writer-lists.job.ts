import { CACHE_MANAGER, type Cache } from '@nestjs/cache-manager';
import { Inject, Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Leased } from '../platform/jobs/leased.decorator.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { BACKGROUND } from '../platform/mongo/slow-query/command-monitor.js';
import { listWriters } from './list-writers.js';

const CHECK_INTERVAL_MS = 60_000;
const HOUR_MS = 3_600_000;
const LISTED = 'writers:listed';

/** Lists the top writers of the last week, month and year, every hour. */
@Injectable()
export class WriterListsJob {
  constructor(
    private readonly mongo: MongoService,
    @Inject(CACHE_MANAGER) private readonly cache: Cache,
  ) {}

  @Interval(CHECK_INTERVAL_MS)
  @Leased<WriterListsJob>('writer lists', { isDue: async ({ cache }) => (await cache.get(LISTED)) === undefined })
  async run(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await listWriters(this.mongo.db, Date.now(), { hint: { day: 1 }, comment: BACKGROUND });
    await this.cache.set(LISTED, true, HOUR_MS);
  }
}
