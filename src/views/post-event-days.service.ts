import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Collection } from 'mongodb';
import { uniqueIds } from '../common/unique-ids.js';
import { AppConfig } from '../config/app-config.js';
import { Leased } from '../platform/jobs/leased.decorator.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { PostsService } from '../posts/posts.service.js';
import { type DayChange, DayWriterService } from './day-writer.service.js';
import { type RecentPostEvent, RecentPostEventSchema } from './post-event.schema.js';
import { dayId, EVENT_KINDS, eventsEndedBy } from './event-keys.js';

/** An event sent at the end of a window may still wait for its commit, and must find the rows of its window. */
const GRACE_MS = 300_000;
const CHECK_INTERVAL_MS = 60_000;
const BATCH_SIZE = 500;

/**
 * Folds events of ended windows into the days of their posts and deletes the events. Each batch is one transaction, so that days plus
 * recent events equal the counters at any moment. A view itself writes no day (docs/experiments.md).
 */
@Injectable()
export class PostEventDaysService {
  private readonly events: Collection<RecentPostEvent>;
  private readonly graceMs: number;

  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    private readonly days: DayWriterService,
    config: AppConfig,
  ) {
    this.events = mongo.collection(RecentPostEventSchema);
    // Late events must still find their row.
    this.graceMs = GRACE_MS + (config.events.kafka?.maxAgeMs ?? 0);
  }

  @Interval(CHECK_INTERVAL_MS)
  @Leased<PostEventDaysService>('event days', { isDue: (days) => days.isDue() })
  async foldEnded(signal: AbortSignal): Promise<void> {
    await this.fold(signal);
  }

  /** Whether an ended window has events. One seek. */
  async isDue(now = Date.now()): Promise<boolean> {
    return (await this.events.findOne(this.ended(now), { projection: { _id: 1 } })) !== null;
  }

  /** Returns the number of folded events. Pauses after each batch for the duration of the batch. */
  async fold(signal: AbortSignal, now = Date.now()): Promise<number> {
    for (let folded = 0; ;) {
      signal.throwIfAborted();
      const started = performance.now();
      const count = await this.foldBatch(now);
      folded += count;
      if (count < BATCH_SIZE) return folded;
      await sleep(performance.now() - started, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  /** Folds events in the order of the key, so that all events of a post usually update its day once. */
  private foldBatch(now: number): Promise<number> {
    return this.mongo.transaction(async (tx) => {
      const rows = await this.events
        .find(this.ended(now), { session: tx.session })
        .sort({ _id: 1 })
        .limit(BATCH_SIZE)
        .toArray();
      if (rows.length === 0) return 0;
      await this.days.add(await this.changesOf(rows, tx), tx);
      const ids = rows.map(({ _id }) => _id);
      await tx.delete(this.events, ids);
      return rows.length;
    });
  }

  private async changesOf(rows: RecentPostEvent[], tx: Transaction): Promise<DayChange[]> {
    const posts = await this.posts.findTargets(uniqueIds(rows.map(({ postId }) => postId)), tx);
    const changes = new Map<string, DayChange>();
    for (const { postId, kind, at, isVisitor, referrer } of rows) {
      const day = at.toISOString().slice(0, 10);
      const post = posts.get(postId.toHexString());
      const authorId = post?.deletedAt === null ? post.authorId : undefined;
      const change = changes.get(dayId(postId, day)) ?? { postId, authorId, day, counts: {}, referrers: [] };
      const { day: counter, ofVisitors } = EVENT_KINDS[kind];
      change.counts[counter] = (change.counts[counter] ?? 0) + 1;
      if (isVisitor === true && ofVisitors !== null) change.counts[ofVisitors] = (change.counts[ofVisitors] ?? 0) + 1;
      if (referrer !== undefined) change.referrers?.push({ key: referrer, count: 1 });
      changes.set(dayId(postId, day), change);
    }
    return [...changes.values()];
  }

  private ended(now: number): ReturnType<typeof eventsEndedBy> {
    return eventsEndedBy(new Date(now - this.graceMs));
  }
}
