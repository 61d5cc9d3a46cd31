import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Collection } from 'mongodb';
import { AppConfig } from '../config/app-config.js';
import { ResponseCache } from '../platform/cache/response-cache.js';
import { ClusterBus } from '../platform/cluster/bus.js';
import { fenceOf, type Lease, LeaseLostError, LeaseService } from '../platform/mongo/lease.service.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { FORMULA_VERSION } from '../posts/ranking/score.js';
import {
  FIRST_EPOCH,
  SCORE_EPOCH_CHANNEL,
  SCORE_EPOCH_ID,
  SCORE_EPOCHS_COLLECTION,
  type ScoreEpochRow,
  type ScoreFilling,
} from '../posts/ranking/score-epoch.js';
import { EPOCH_REFRESH_MS, ScoreEpochService } from '../posts/ranking/score-epoch.service.js';
import type { RunFence } from './rank-batches.js';
import { marksAfter } from '../posts/ranking/score-dirty-set.service.js';

export type Beginning = {
  row: ScoreEpochRow;
  now: Date;
  isResumed: boolean;
  /** the marks since then tell, with what is due, which posts to look at; null where every post must be compared */
  marksSince: Date | null;
  /** from here on the next run reads marks */
  nextMarksSince: Date;
  waitedMs: number;
};

/** Every post is compared once a day, due or not: whatever was missed is mended, a restored backup or a clock that was wrong. */
const COMPARE_ALL_EVERY_MS = 86_400_000;
/** A batch takes a third of a second. The lease has ten more in hand: it is renewed when it still lasts that long. */
const BATCH_LIMIT_MS = 5_000;
/** a little more than other processes take to notice */
const LEAD_IN_MS = EPOCH_REFRESH_MS + 250;

/**
 * The epoch document as the runs of the score job write it: where one begins, what it must leave to whoever comes after a crash, and the
 * flip. Every change but the very first holds the fencing token of the lease: a run whose lease has passed on throws LeaseLostError.
 */
@Injectable()
export class ScoreRuns {
  private readonly epochs: Collection<ScoreEpochRow>;
  private readonly intervalMs: number;

  constructor(
    private readonly mongo: MongoService,
    private readonly leases: LeaseService,
    private readonly epoch: ScoreEpochService,
    private readonly cache: ResponseCache,
    private readonly bus: ClusterBus,
    config: AppConfig,
  ) {
    this.epochs = mongo.collection<ScoreEpochRow>(SCORE_EPOCHS_COLLECTION);
    this.intervalMs = config.engagement.intervalMinutes * 60_000;
  }

  /** The epoch document as it is now, null before the first run. */
  status(): Promise<ScoreEpochRow | null> {
    return this.epochs.findOne({ _id: SCORE_EPOCH_ID });
  }

  /**
   * From here on nobody continues a page of the slot that is about to change.
   * @param wanted the moment to score for; undefined: now, or that of the run that was interrupted
   * @param wantsAll every post is to be compared, also those that are not due
   */
  async begin(lease: Lease, wanted: Date | undefined, wantsAll: boolean): Promise<Beginning> {
    const nextMarksSince = marksAfter(new Date());
    const row = (await this.status()) ?? (await this.insertFirst());
    const filling = row.filling ?? null;
    const isResumed = filling !== null && wanted === undefined && Date.now() - filling.now.getTime() < this.intervalMs;
    const now = isResumed ? filling.now : (wanted ?? new Date());
    const isWhole = wantsAll || wanted !== undefined || needsComparison(row, now);
    const next = { startedAt: new Date(), now, token: lease.token, isWhole, indexes: filling?.indexes ?? null };
    const { matchedCount } = await this.epochs.updateOne(
      { _id: SCORE_EPOCH_ID, epoch: row.epoch, $or: [{ filling: null }, { 'filling.token': { $lt: lease.token } }] },
      { $set: { filling: next } },
    );
    if (matchedCount !== 1) throw new LeaseLostError(lease.name);
    await this.announce();
    const isPreviousRead = filling === null && row.epoch > 1 && (row.previousUntil?.getTime() ?? Infinity) > Date.now();
    const waitedMs = isPreviousRead ? LEAD_IN_MS : 0;
    await sleep(waitedMs);
    const marksSince = isWhole ? null : row.marksSince!;
    return { row: { ...row, filling: next }, now, isResumed, marksSince, nextMarksSince, waitedMs };
  }

  /** One commit shows the new ranks everywhere; it fails when the lease has passed on. */
  async flip(lease: Lease, row: ScoreEpochRow, changes: Partial<ScoreEpochRow>): Promise<void> {
    // the next run by the timetable finds nobody on the other slot and need not wait for them to notice
    const previousUntil = new Date(Date.now() + this.intervalMs * 0.9);
    const next = { ...changes, epoch: row.epoch + 1, previousUntil, filling: null };
    await this.mongo.transaction(async (session) => {
      await this.leases.confirm(lease, session);
      const { matchedCount } = await this.epochs.updateOne(
        { _id: SCORE_EPOCH_ID, epoch: row.epoch, 'filling.token': lease.token },
        { $set: next },
        { session },
      );
      if (matchedCount !== 1) throw new LeaseLostError(lease.name);
    });
    await this.announce();
    this.cache.invalidate(['feed']);
  }

  /** For whoever goes on with this run. */
  async note(lease: Lease, changes: Partial<Pick<ScoreFilling, 'isWhole' | 'indexes'>>): Promise<void> {
    const filter = { _id: SCORE_EPOCH_ID, 'filling.token': lease.token } as const;
    const fields = Object.fromEntries(Object.entries(changes).map(([field, value]) => [`filling.${field}`, value]));
    const { matchedCount } = await this.epochs.updateOne(filter, { $set: fields });
    if (matchedCount !== 1) throw new LeaseLostError(lease.name);
  }

  fenceOf(lease: Lease): RunFence {
    return {
      fields: () => fenceOf(lease, BATCH_LIMIT_MS),
      confirm: () => this.leases.requireHeld(lease, BATCH_LIMIT_MS),
    };
  }

  private async insertFirst(): Promise<ScoreEpochRow> {
    const first = { epoch: FIRST_EPOCH.epoch, slot: FIRST_EPOCH.slot, scoredAt: FIRST_EPOCH.scoredAt, filling: null };
    await this.epochs.updateOne({ _id: SCORE_EPOCH_ID }, { $setOnInsert: first }, { upsert: true });
    return (await this.status())!;
  }

  private async announce(): Promise<void> {
    this.bus.publish(SCORE_EPOCH_CHANNEL, null);
    await this.epoch.refresh();
  }
}

/** Whether what the posts say of their ranks cannot be relied on. */
function needsComparison({ marksSince, formula, comparedAllAt, scoredAt, filling }: ScoreEpochRow, now: Date): boolean {
  if (marksSince === undefined || comparedAllAt === undefined || formula !== FORMULA_VERSION) return true;
  if (filling?.isWhole === true || (filling?.indexes ?? null) !== null) return true;
  // ranks hold for what comes, not for what was
  return now < scoredAt || Date.now() - comparedAllAt.getTime() >= COMPARE_ALL_EVERY_MS;
}
