import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Collection } from 'mongodb';
import { AppConfig } from '../config/app-config.js';
import { Leased } from '../platform/jobs/leased.decorator.js';
import type { UpdateStatement } from '../platform/mongo/update-statements.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import {
  type PostEventDay,
  PostEventDaySchema,
  type RecentPostEvent,
  RecentPostEventSchema,
} from './post-event.schema.js';
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
  private readonly days: Collection<PostEventDay>;
  private readonly graceMs: number;

  constructor(
    private readonly mongo: MongoService,
    config: AppConfig,
  ) {
    this.events = mongo.collection(RecentPostEventSchema);
    this.days = mongo.collection(PostEventDaySchema);
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
      await tx.update(this.days, dayStatements(rows));
      const ids = rows.map(({ _id }) => _id);
      await tx.delete(this.events, ids);
      return rows.length;
    });
  }

  private ended(now: number): ReturnType<typeof eventsEndedBy> {
    return eventsEndedBy(new Date(now - this.graceMs));
  }
}

function dayStatements(rows: RecentPostEvent[]): UpdateStatement[] {
  const sums = new Map<string, Omit<PostEventDay, '_id'>>();
  for (const { postId, kind, at, isVisitor } of rows) {
    const day = at.toISOString().slice(0, 10);
    const id = dayId(postId, day);
    const sum = sums.get(id) ?? { postId, day, views: 0, reads: 0, shares: 0, visitorReads: 0, visitorShares: 0 };
    const { day: counter, ofVisitors } = EVENT_KINDS[kind];
    sum[counter]++;
    if (isVisitor === true && ofVisitors !== null) sum[ofVisitors]++;
    sums.set(id, sum);
  }
  return [...sums].map(([_id, { postId, day, ...$inc }]) => ({
    q: { _id },
    u: { $inc, $setOnInsert: { postId, day } },
    upsert: true,
  }));
}
