import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Collection } from 'mongodb';
import { AppConfig } from '../config/app-config.js';
import { ResponseCache } from '../platform/cache/response-cache.js';
import { ClusterBus } from '../platform/cluster/bus.js';
import { type Lease, LeaseLostError, LeaseService } from '../platform/mongo/lease.service.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { Readiness } from '../platform/observability/readiness.js';
import { fillSlotOfDue } from './due-run.js';
import { FORMULA_VERSION } from './score.js';
import { marksAfter, removeScoreMarks } from './score-marks.service.js';
import { type FillOutcome, fillSlot, type RunOptions } from './score-run.js';
import { withSmallHeap } from './small-heap.js';
import {
  FIRST_EPOCH,
  otherSlot,
  type RankSlot,
  SCORE_EPOCH_CHANNEL,
  SCORE_EPOCH_ID,
  SCORE_EPOCHS_COLLECTION,
  type ScoreEpoch,
  type ScoreEpochRow,
} from './score-epoch.js';
import { EPOCH_REFRESH_MS, ScoreEpochService } from './score-epoch.service.js';

export type ScoreRunOptions = {
  /** stops between two batches; the next run goes on */
  signal?: AbortSignal;
  onProgress?: (written: number) => void;
  /** the moment to score for, of all posts; default: now, or that of the run that was interrupted */
  now?: Date;
  /** compares every post, also those that are not due */
  isWhole?: boolean;
};

export type ScoreRunResult = {
  epoch: number;
  slot: RankSlot;
  scoredAt: Date;
  written: number;
  /** a run that did not end was taken up */
  isResumed: boolean;
  /** every post was compared */
  isWhole: boolean;
  /** so much had moved that the slot's indexes were built anew */
  isRebuilt: boolean;
  durationMs: number;
  /** of that, until nobody read the slot any more: a run shortly after another */
  waitedMs: number;
  /** CPU of this process meanwhile, whatever else it did */
  cpuMs: number;
};

type Beginning = {
  row: ScoreEpochRow;
  now: Date;
  isResumed: boolean;
  /** the marks since then tell, with what is due, which posts to look at; null where every post must be compared */
  marksSince: Date | null;
  /** from here on the next run reads marks */
  nextMarksSince: Date;
  waitedMs: number;
};

const LEASE = 'score';
/** Every post is compared once a day, due or not: whatever was missed is mended, a restored backup or a clock that was wrong. */
const COMPARE_ALL_EVERY_MS = 86_400_000;
/** a little more than other processes take to notice */
const LEAD_IN_MS = EPOCH_REFRESH_MS + 250;

/** Keeps the ranks of all listed posts: fills the slot nobody reads, then flips. Any number of hosts may ask; one run at a time. */
@Injectable()
export class EngagementService {
  private readonly logger = new Logger('Score');
  private readonly epochs: Collection<ScoreEpochRow>;
  private readonly intervalMs: number;

  constructor(
    private readonly mongo: MongoService,
    private readonly leases: LeaseService,
    private readonly epoch: ScoreEpochService,
    private readonly cache: ResponseCache,
    private readonly bus: ClusterBus,
    config: AppConfig,
    readiness: Readiness,
  ) {
    this.epochs = mongo.collection<ScoreEpochRow>(SCORE_EPOCHS_COLLECTION);
    readiness.addDetail('ranking', () => this.describeEpoch());
    this.intervalMs = config.engagement.intervalMinutes * 60_000;
  }

  /** The slot readers use; from memory, at most a second old. */
  currentEpoch(): ScoreEpoch | Promise<ScoreEpoch> {
    return this.epoch.current();
  }

  private async describeEpoch(): Promise<{ epoch: number; ageSeconds: number | null }> {
    const { epoch, scoredAt } = await this.currentEpoch();
    const ageSeconds = scoredAt.getTime() === 0 ? null : Math.round((Date.now() - scoredAt.getTime()) / 1_000);
    return { epoch, ageSeconds };
  }

  /** The epoch document as it is now, null before the first run. */
  status(): Promise<ScoreEpochRow | null> {
    return this.epochs.findOne({ _id: SCORE_EPOCH_ID });
  }

  /** True when the interval has passed since the last run of any host, or one was interrupted. */
  async isDue(): Promise<boolean> {
    const row = await this.status();
    return row === null || row.filling !== null || Date.now() - row.scoredAt.getTime() >= this.intervalMs;
  }

  /** Null while another process runs it. */
  async run(options: ScoreRunOptions = {}): Promise<ScoreRunResult | null> {
    const outcome = await this.leases.withLease(LEASE, (lost, lease) => {
      const signal = options.signal === undefined ? lost : AbortSignal.any([lost, options.signal]);
      return withSmallHeap(() => this.runUnderLease(lease, { ...options, signal }));
    });
    if (!outcome.ran) return null;
    const { result } = outcome;
    const rate = Math.round(result.written / Math.max(result.durationMs / 1_000, 0.001));
    const remarks = [
      result.isResumed && 'resumed',
      result.isWhole && 'all compared',
      result.isRebuilt && 'indexes rebuilt',
    ]
      .filter(Boolean)
      .join(', ');
    this.logger.log(
      `epoch ${result.epoch}: ${result.written} posts moved, ${result.durationMs} ms, ${result.cpuMs} ms CPU, ${rate} rows/s${remarks && ` (${remarks})`}`,
    );
    return result;
  }

  private async runUnderLease(
    lease: Lease,
    options: ScoreRunOptions & { signal: AbortSignal },
  ): Promise<ScoreRunResult> {
    const startedAt = performance.now();
    const cpuBefore = process.cpuUsage();
    const { row, now, isResumed, marksSince, nextMarksSince, waitedMs } = await this.begin(lease, options);
    const slot = otherSlot(row.slot);
    const { signal, onProgress } = options;
    const { written, isRebuilt, isWhole } = await this.fill(lease, row, { slot, now, signal, onProgress }, marksSince);
    signal.throwIfAborted();
    const marks = {
      marksSince: nextMarksSince,
      formula: FORMULA_VERSION,
      ...(isWhole && { comparedAllAt: new Date() }),
    };
    await this.flip(lease, row, { slot, scoredAt: now, ...marks });
    // the next run passes over what is left of them
    await removeScoreMarks(this.mongo.db, nextMarksSince).catch(() => undefined);
    const durationMs = Math.round(performance.now() - startedAt);
    const cpu = process.cpuUsage(cpuBefore);
    const cpuMs = Math.round((cpu.user + cpu.system) / 1_000);
    const times = { durationMs, waitedMs, cpuMs };
    return { epoch: row.epoch + 1, slot, scoredAt: now, written, isResumed, isWhole, isRebuilt, ...times };
  }

  /** @param marksSince null where every post must be compared */
  private async fill(
    lease: Lease,
    row: ScoreEpochRow,
    run: RunOptions,
    marksSince: Date | null,
  ): Promise<FillOutcome & { isWhole: boolean }> {
    const due = marksSince === null ? null : await fillSlotOfDue(this.mongo.db, { ...run, marksSince });
    if (due !== null && due.written !== null) return { written: due.written, isRebuilt: false, isWhole: false };
    if (due?.why === 'no index') {
      this.logger.warn(
        'posts has no index of what is due, so every run compares all posts: `npm run cli -- indexes create` builds it',
      );
    }
    // whoever comes after a crash must not take the posts that were not reached for those that need no look
    await this.update(lease, { 'filling.isWhole': true });
    const outcome = await fillSlot(this.mongo.db, {
      ...run,
      areMostDue: due?.why === 'most are due',
      droppedIndexes: row.filling?.indexes ?? null,
      beforeDrop: async (indexes) => {
        await this.update(lease, { 'filling.indexes': indexes });
      },
    });
    return { ...outcome, isWhole: true };
  }

  private async insertFirst(): Promise<ScoreEpochRow> {
    const first = { epoch: FIRST_EPOCH.epoch, slot: FIRST_EPOCH.slot, scoredAt: FIRST_EPOCH.scoredAt, filling: null };
    await this.epochs.updateOne({ _id: SCORE_EPOCH_ID }, { $setOnInsert: first }, { upsert: true });
    return (await this.status())!;
  }

  /** From here on nobody continues a page of the slot that is about to change. */
  private async begin(lease: Lease, { now: wanted, isWhole: wantsAll = false }: ScoreRunOptions): Promise<Beginning> {
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
    if (matchedCount !== 1) throw new LeaseLostError(LEASE);
    await this.announce();
    const isPreviousRead = filling === null && row.epoch > 1 && (row.previousUntil?.getTime() ?? Infinity) > Date.now();
    const waitedMs = isPreviousRead ? LEAD_IN_MS : 0;
    await sleep(waitedMs);
    const marksSince = isWhole ? null : row.marksSince!;
    return { row: { ...row, filling: next }, now, isResumed, marksSince, nextMarksSince, waitedMs };
  }

  /** One commit shows the new ranks everywhere; it fails when the lease has passed on. */
  private async flip(lease: Lease, row: ScoreEpochRow, changes: Partial<ScoreEpochRow>): Promise<void> {
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
      if (matchedCount !== 1) throw new LeaseLostError(LEASE);
    });
    await this.announce();
    this.cache.invalidate(['feed']);
  }

  private async update(lease: Lease, changes: object): Promise<void> {
    const filter = { _id: SCORE_EPOCH_ID, 'filling.token': lease.token } as const;
    const { matchedCount } = await this.epochs.updateOne(filter, { $set: changes });
    if (matchedCount !== 1) throw new LeaseLostError(LEASE);
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
