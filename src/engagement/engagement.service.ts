import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Collection } from 'mongodb';
import { AppConfig } from '../config/app-config.js';
import { ResponseCache } from '../platform/cache/response-cache.js';
import { ClusterBus } from '../platform/cluster/bus.js';
import { type Lease, LeaseLostError, LeaseService } from '../platform/mongo/lease.service.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { Readiness } from '../platform/observability/readiness.js';
import { fillSlot } from './score-run.js';
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
  /** the moment to score for; default: now, or that of the run that was interrupted */
  now?: Date;
};

export type ScoreRunResult = {
  epoch: number;
  slot: RankSlot;
  scoredAt: Date;
  written: number;
  /** a run that did not end was taken up */
  isResumed: boolean;
  /** so much had moved that the slot's indexes were built anew */
  isRebuilt: boolean;
  durationMs: number;
  /** of that, until nobody read the slot any more: a run shortly after another */
  waitedMs: number;
  /** CPU of this process meanwhile, whatever else it did */
  cpuMs: number;
};

type Beginning = { row: ScoreEpochRow; now: Date; isResumed: boolean; waitedMs: number };

const LEASE = 'score';
/** a little more than other processes take to notice */
const LEAD_IN_MS = EPOCH_REFRESH_MS + 250;

/** Scores all listed posts: fills the rank slot nobody reads, then flips. Any number of hosts may ask; one run at a time. */
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
    const remarks = [result.isResumed && 'resumed', result.isRebuilt && 'indexes rebuilt'].filter(Boolean).join(', ');
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
    const { row, now, isResumed, waitedMs } = await this.begin(lease, options.now);
    const slot = otherSlot(row.slot);
    const { written, isRebuilt } = await fillSlot(this.mongo.db, {
      slot,
      now,
      signal: options.signal,
      onProgress: options.onProgress,
      droppedIndexes: row.filling?.indexes ?? null,
      beforeDrop: async (indexes) => {
        await this.update(lease, { 'filling.indexes': indexes });
      },
    });
    options.signal.throwIfAborted();
    await this.flip(lease, row, slot, now);
    const durationMs = Math.round(performance.now() - startedAt);
    const cpu = process.cpuUsage(cpuBefore);
    const cpuMs = Math.round((cpu.user + cpu.system) / 1_000);
    return { epoch: row.epoch + 1, slot, scoredAt: now, written, isResumed, isRebuilt, durationMs, waitedMs, cpuMs };
  }

  private async insertFirst(): Promise<ScoreEpochRow> {
    const first = { epoch: FIRST_EPOCH.epoch, slot: FIRST_EPOCH.slot, scoredAt: FIRST_EPOCH.scoredAt, filling: null };
    await this.epochs.updateOne({ _id: SCORE_EPOCH_ID }, { $setOnInsert: first }, { upsert: true });
    return (await this.status())!;
  }

  /** From here on nobody continues a page of the slot that is about to change. */
  private async begin(lease: Lease, wanted?: Date): Promise<Beginning> {
    const row = (await this.status()) ?? (await this.insertFirst());
    const filling = row.filling ?? null;
    const isResumed = filling !== null && wanted === undefined && Date.now() - filling.now.getTime() < this.intervalMs;
    const now = isResumed ? filling.now : (wanted ?? new Date());
    const next = { startedAt: new Date(), now, token: lease.token, indexes: filling?.indexes ?? null };
    const { matchedCount } = await this.epochs.updateOne(
      { _id: SCORE_EPOCH_ID, epoch: row.epoch, $or: [{ filling: null }, { 'filling.token': { $lt: lease.token } }] },
      { $set: { filling: next } },
    );
    if (matchedCount !== 1) throw new LeaseLostError(LEASE);
    await this.announce();
    const isPreviousRead = filling === null && row.epoch > 1 && (row.previousUntil?.getTime() ?? Infinity) > Date.now();
    const waitedMs = isPreviousRead ? LEAD_IN_MS : 0;
    await sleep(waitedMs);
    return { row: { ...row, filling: next }, now, isResumed, waitedMs };
  }

  /** One commit shows the new ranks everywhere; it fails when the lease has passed on. */
  private async flip(lease: Lease, row: ScoreEpochRow, slot: RankSlot, now: Date): Promise<void> {
    // the next run by the timetable finds nobody on the other slot and need not wait for them to notice
    const previousUntil = new Date(Date.now() + this.intervalMs * 0.9);
    const next = { epoch: row.epoch + 1, slot, scoredAt: now, previousUntil, filling: null };
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
