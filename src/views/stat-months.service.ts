import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Collection } from 'mongodb';
import { eachRow } from '../platform/jobs/each-row.js';
import { Leased } from '../platform/jobs/leased.decorator.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { AUTHOR_COUNTERS, type AuthorDay, AuthorDaySchema } from './author-day.schema.js';
import { type DayChange, DayWriterService } from './day-writer.service.js';
import { DAY_COUNTERS, type PostEventDay, PostEventDaySchema } from './post-event.schema.js';
import { dayAt } from './stat-buckets.js';

const KEPT_MS = 400 * 86_400_000;
const CHECK_INTERVAL_MS = 600_000;
const BATCH_SIZE = 500;

type Days = Collection<PostEventDay> | Collection<AuthorDay>;
type DayRow = Partial<PostEventDay & AuthorDay> & { _id: string; day: string };

/** Adds days older than 400 days to their months, so that a post and an author have a bounded number of rows. */
@Injectable()
export class StatMonthsService {
  private readonly collections: Days[];

  constructor(
    private readonly mongo: MongoService,
    private readonly days: DayWriterService,
  ) {
    this.collections = [mongo.collection(PostEventDaySchema), mongo.collection(AuthorDaySchema)];
  }

  @Interval(CHECK_INTERVAL_MS)
  @Leased<StatMonthsService>('stat months', { isDue: (months) => months.isDue() })
  async fold(signal: AbortSignal): Promise<void> {
    await eachRow(this.collections, signal, async (rows) => {
      while (await this.foldBatch(rows)) signal.throwIfAborted();
    });
  }

  async isDue(): Promise<boolean> {
    const oldest = await Promise.all(this.collections.map((rows) => rows.findOne(old(), { projection: { _id: 1 } })));
    return oldest.some((row) => row !== null);
  }

  /** @returns whether more days may remain */
  private foldBatch(collection: Days): Promise<boolean> {
    return this.mongo.transaction(async (tx) => {
      const rows = await tx.find<DayRow>(collection, old(), {}, BATCH_SIZE);
      await this.days.add(rows.map(changeOf), tx);
      await tx.delete(
        collection,
        rows.map(({ _id }) => _id),
      );
      return rows.length === BATCH_SIZE;
    });
  }
}

/** Selects days, not months. */
function old(): { day: { $lt: string } } {
  return { day: { $lt: dayAt(Date.now() - KEPT_MS) } };
}

function changeOf({ postId, authorId, day, referrers, posts, ...row }: DayRow): DayChange {
  const counters = postId === undefined ? AUTHOR_COUNTERS : DAY_COUNTERS;
  const counts = Object.fromEntries(counters.map((counter) => [counter, row[counter as 'views'] ?? 0]));
  return { postId, authorId, day: day.slice(0, 7), counts, referrers: referrers ?? [], posts: posts ?? [] };
}
