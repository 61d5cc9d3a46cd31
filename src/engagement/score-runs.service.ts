import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { ResponseCache } from '../platform/cache/response-cache.js';
import { type Lease, LeaseLostError, LeaseService } from '../platform/mongo/lease.service.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { FORMULA_VERSION } from '../posts/ranking/score.js';
import { dirtyAfter } from '../posts/ranking/score-dirty-set.service.js';
import type { ScoreEpochRow, ScoreFilling } from '../posts/ranking/score-epoch.js';
import { EPOCH_TOO_OLD_MS, ScoreEpochService } from '../posts/ranking/score-epoch.service.js';

export type Beginning = {
  row: ScoreEpochRow;
  now: Date;
  isResumed: boolean;
  /** the dirty set since then tells, with what is due, which posts to look at; null where every post must be compared */
  dirtySince: Date | null;
  /** from here on the next run reads it */
  nextDirtySince: Date;
  waitedMs: number;
};

/** Every post is compared once a day, due or not: that mends whatever was missed, after a restored backup or with a wrong clock. */
const COMPARE_ALL_EVERY_MS = 86_400_000;
/** a little more than other processes take to notice */
const LEAD_IN_MS = EPOCH_TOO_OLD_MS + 250;

/**
 * The epoch document as the runs of the score job write it: where one begins, what the run after a crash must know, and the flip. Every
 * change but the very first holds the fencing token of the lease: a run whose lease has passed on throws LeaseLostError.
 */
@Injectable()
export class ScoreRuns {
  private readonly intervalMs: number;

  constructor(
    private readonly mongo: MongoService,
    private readonly leases: LeaseService,
    private readonly epochs: ScoreEpochService,
    private readonly cache: ResponseCache,
    config: AppConfig,
  ) {
    this.intervalMs = config.engagement.intervalMinutes * 60_000;
  }

  /**
   * From here on cursors of the slot that is about to change are refused.
   * @param wanted the moment to score for; undefined: now, or that of the run that was interrupted
   * @param wantsAll every post is to be compared, also those that are not due
   */
  async begin(lease: Lease, wanted: Date | undefined, wantsAll: boolean): Promise<Beginning> {
    const nextDirtySince = dirtyAfter(new Date());
    const row = await this.epochs.findOrCreate();
    const filling = row.filling ?? null;
    const isResumed = filling !== null && wanted === undefined && Date.now() - filling.now.getTime() < this.intervalMs;
    const now = isResumed ? filling.now : (wanted ?? new Date());
    const isWhole = wantsAll || wanted !== undefined || needsComparison(row, now);
    const next = { startedAt: new Date(), now, token: lease.token, isWhole, indexes: filling?.indexes ?? null };
    const isFree = [{ filling: null }, { 'filling.token': { $lt: lease.token } }];
    const isOurs = await this.epochs.write({ epoch: row.epoch, $or: isFree }, { filling: next });
    if (!isOurs) throw new LeaseLostError(lease.name);
    await this.epochs.announce();
    const isPreviousRead = filling === null && row.epoch > 1 && (row.previousUntil?.getTime() ?? Infinity) > Date.now();
    const waitedMs = isPreviousRead ? LEAD_IN_MS : 0;
    await sleep(waitedMs);
    const dirtySince = isWhole ? null : row.marksSince!;
    return { row: { ...row, filling: next }, now, isResumed, dirtySince, nextDirtySince, waitedMs };
  }

  /** One commit shows the new ranks everywhere; it fails when the lease has passed on. */
  async flip(lease: Lease, row: ScoreEpochRow, changes: Partial<ScoreEpochRow>): Promise<void> {
    // the next run by the timetable finds no reader of the other slot and need not wait for them to notice
    const previousUntil = new Date(Date.now() + this.intervalMs * 0.9);
    const next = { ...changes, epoch: row.epoch + 1, previousUntil, filling: null };
    await this.mongo.transaction(async (session) => {
      await this.leases.confirm(lease, session);
      const expected = { epoch: row.epoch, 'filling.token': lease.token };
      if (!(await this.epochs.write(expected, next, session))) throw new LeaseLostError(lease.name);
    });
    await this.epochs.announce();
    this.cache.invalidate(['feed']);
  }

  /** For the run that continues with this one. */
  async note(lease: Lease, changes: Partial<Pick<ScoreFilling, 'isWhole' | 'indexes'>>): Promise<void> {
    const fields = Object.fromEntries(Object.entries(changes).map(([field, value]) => [`filling.${field}`, value]));
    if (!(await this.epochs.write({ 'filling.token': lease.token }, fields))) throw new LeaseLostError(lease.name);
  }
}

/** Whether what the posts say of their ranks cannot be relied on. */
function needsComparison({ marksSince, formula, comparedAllAt, scoredAt, filling }: ScoreEpochRow, now: Date): boolean {
  if (marksSince === undefined || comparedAllAt === undefined || formula !== FORMULA_VERSION) return true;
  if (filling?.isWhole === true || (filling?.indexes ?? null) !== null) return true;
  // ranks hold for what comes, not for what was
  return now < scoredAt || Date.now() - comparedAllAt.getTime() >= COMPARE_ALL_EVERY_MS;
}
