import { CACHE_MANAGER, type Cache } from '@nestjs/cache-manager';
import { Inject, Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { AppConfig } from '../config/app-config.js';
import { Leased } from '../platform/jobs/leased.decorator.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { BACKGROUND } from '../platform/mongo/slow-query/command-monitor.js';
import { LATEST } from '../posts/publication-order.js';
import { countTags } from './count-tags.js';

const CHECK_INTERVAL_MS = 60_000;
const HOUR_MS = 3_600_000;
const COUNTED = 'tags:counted';

/** Counts the posts of tags, and computes trends, every hour, so that publishing and voting change no counter of a tag. */
@Injectable()
export class TagCountsJob {
  constructor(
    private readonly mongo: MongoService,
    private readonly config: AppConfig,
    @Inject(CACHE_MANAGER) private readonly cache: Cache,
  ) {}

  @Interval(CHECK_INTERVAL_MS)
  @Leased<TagCountsJob>('tag counts', { isDue: async ({ cache }) => (await cache.get(COUNTED)) === undefined })
  async run(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const at = { now: Date.now(), newcomerMs: this.config.newcomers.ms };
    await countTags(this.mongo.db, at, { hint: LATEST, comment: BACKGROUND });
    await this.cache.set(COUNTED, true, HOUR_MS);
  }
}
