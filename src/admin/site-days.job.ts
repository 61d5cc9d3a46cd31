import { CACHE_MANAGER, type Cache } from '@nestjs/cache-manager';
import { Inject, Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { DailyCounts } from '../audit/daily-counts.js';
import { Leased } from '../platform/jobs/leased.decorator.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { BACKGROUND } from '../platform/mongo/slow-query/command-monitor.js';
import { dayAt } from '../views/stat-buckets.js';
import { SiteDay } from './site-day.schema.js';

const CHECK_INTERVAL_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** days that are counted after the first start, or when no host ran jobs */
const MAX_DAYS = 30;
const COUNTED = 'site:counted';

/** Counts the figures of the current day every hour, and once more those of the day before. */
@Injectable()
export class SiteDaysJob {
  constructor(
    private readonly mongo: MongoService,
    private readonly counts: DailyCounts,
    @InjectModel(SiteDay.name) private readonly days: Model<SiteDay>,
    @Inject(CACHE_MANAGER) private readonly cache: Cache,
  ) {}

  @Interval(CHECK_INTERVAL_MS)
  @Leased<SiteDaysJob>('site days', { isDue: async ({ cache }) => (await cache.get(COUNTED)) === undefined })
  async run(signal: AbortSignal): Promise<void> {
    const now = Date.now();
    const earliest = now - MAX_DAYS * DAY_MS;
    // The last counted day has ended since, or is today.
    const [last] = await findMany(this.days, {}, { _id: 1 }, { sort: { _id: -1 }, limit: 1 });
    const first = last === undefined ? earliest : Math.max(Date.parse(last._id), earliest);
    for (let time = first - (first % DAY_MS); time <= now; time += DAY_MS) {
      signal.throwIfAborted();
      await this.count(time, time + DAY_MS > now);
    }
    await this.cache.set(COUNTED, true, HOUR_MS);
  }

  private async count(start: number, isToday: boolean): Promise<void> {
    const { db } = this.mongo;
    const _id = dayAt(start);
    const counts = await this.counts.of(db, { name: _id, from: new Date(start), to: new Date(start + DAY_MS) });
    const storageBytes = isToday ? Number((await db.command({ dbStats: 1, comment: BACKGROUND }))['totalSize']) : null;
    const update = isToday ? { $set: { ...counts, storageBytes } } : { $set: counts, $setOnInsert: { storageBytes } };
    await this.days.updateOne({ _id }, update, { upsert: true });
  }
}
