import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MongoServerError } from 'mongodb';
import { isDatabaseOutage } from '../common/database-outage.js';
import { AppConfig } from '../config/app-config.js';
import { JobsRunner } from '../platform/jobs/jobs-runner.js';
import { Readiness } from '../platform/metrics/readiness.js';
import { type Lease, LeaseService } from '../platform/mongo/lease.service.js';
import { RankIndexes } from '../posts/ranking/rank-indexes.service.js';
import { FORMULA_VERSION } from '../posts/ranking/score.js';
import { ScoreDirtySet } from '../posts/ranking/score-dirty-set.service.js';
import { otherSlot, type RankSlot, type ScoreEpoch, type ScoreEpochRow } from '../posts/ranking/score-epoch.js';
import { ScoreEpochService } from '../posts/ranking/score-epoch.service.js';
import { ScoreRuns } from './score-runs.service.js';
import { type RebuildOutcome, type RunOptions, SlotRebuild } from './slot-rebuild.service.js';
import { SlotRefresh } from './slot-refresh.service.js';

export type ScoreRunOptions = {
  /** stops between two batches; the next run continues */
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
  isReindexed: boolean;
  durationMs: number;
  /** of that, until readers had left the slot: a run shortly after another */
  waitedMs: number;
  /** CPU of this process during the run, other work included */
  cpuMs: number;
};

const LEASE = 'score';
/** how often the database is asked whether a run is due: any host may have done it, or died doing it */
const LOOK_EVERY_MS = 30_000;
/** A batch takes a third of a second. The lease has ten more in hand: it is renewed when it still lasts that long. */
const BATCH_LIMIT_MS = 5_000;

/**
 * Keeps the ranks of all posts that were published: every ENGAGEMENT_INTERVAL_MINUTES over all hosts together it fills the slot that is not read,
 * then flips. Any number of hosts may ask; one run at a time.
 */
@Injectable()
export class EngagementService {
  private readonly logger = new Logger('Score');
  private readonly intervalMs: number;

  constructor(
    private readonly jobs: JobsRunner,
    private readonly leases: LeaseService,
    private readonly epochs: ScoreEpochService,
    private readonly dirtySet: ScoreDirtySet,
    private readonly indexes: RankIndexes,
    private readonly runs: ScoreRuns,
    private readonly slotRebuild: SlotRebuild,
    private readonly slotRefresh: SlotRefresh,
    private readonly config: AppConfig,
    readiness: Readiness,
  ) {
    readiness.addDetail('ranking', () => this.describeEpoch());
    this.intervalMs = config.engagement.intervalMinutes * 60_000;
  }

  @Interval('score', LOOK_EVERY_MS)
  async runWhenDue(): Promise<void> {
    if (!this.config.jobs.isEnabled) return;
    await this.jobs.runIfDue(
      'score',
      (signal) => this.run({ signal }),
      () => this.isDue(),
    );
  }

  /** The slot readers use; from memory, at most a second old. */
  currentEpoch(): ScoreEpoch | Promise<ScoreEpoch> {
    return this.epochs.current();
  }

  private async describeEpoch(): Promise<{ epoch: number; ageSeconds: number | null }> {
    const { epoch, scoredAt } = await this.currentEpoch();
    const ageSeconds = scoredAt.getTime() === 0 ? null : Math.round((Date.now() - scoredAt.getTime()) / 1_000);
    return { epoch, ageSeconds };
  }

  /** The epoch document as it is now, null before the first run. */
  status(): Promise<ScoreEpochRow | null> {
    return this.epochs.find();
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
      return this.runUnderLease(lease, { ...options, signal });
    });
    if (!outcome.ran) return null;
    const { result } = outcome;
    const rate = Math.round(result.written / Math.max(result.durationMs / 1_000, 0.001));
    const remarks = [
      result.isResumed && 'resumed',
      result.isWhole && 'all compared',
      result.isReindexed && 'indexes rebuilt',
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
    { now: wanted, isWhole: wantsAll = false, signal, onProgress }: ScoreRunOptions & { signal: AbortSignal },
  ): Promise<ScoreRunResult> {
    const startedAt = performance.now();
    const cpuBefore = process.cpuUsage();
    const { row, now, isResumed, dirtySince, nextDirtySince, waitedMs } = await this.runs.begin(
      lease,
      wanted,
      wantsAll,
    );
    const slot = otherSlot(row.slot);
    const run = { slot, now, signal, fence: this.leases.fence(lease, BATCH_LIMIT_MS), onProgress };
    // not the job's own: rows are written faster without it
    await this.buildMissingIndexes(row.slot, false, signal);
    const { written, isReindexed, isWhole } = await this.fill(lease, row, run, dirtySince);
    await this.buildMissingIndexes(slot, true, signal);
    signal.throwIfAborted();
    await this.runs.flip(lease, row, {
      ...{ slot, scoredAt: now, marksSince: nextDirtySince, formula: FORMULA_VERSION },
      ...(isWhole && { comparedAllAt: new Date() }),
    });
    // the next run passes over what is left of them
    await this.dirtySet.removeBefore(nextDirtySince).catch(() => undefined);
    const durationMs = Math.round(performance.now() - startedAt);
    const cpu = process.cpuUsage(cpuBefore);
    const times = { durationMs, waitedMs, cpuMs: Math.round((cpu.user + cpu.system) / 1_000) };
    return { epoch: row.epoch + 1, slot, scoredAt: now, written, isResumed, isWhole, isReindexed, ...times };
  }

  /** Without them each read of the slot looks at all posts. */
  private async buildMissingIndexes(slot: RankSlot, isForJob: boolean, signal: AbortSignal): Promise<void> {
    const missing = await this.indexes.listMissing(slot, isForJob);
    if (missing.length === 0) return;
    const names = missing.map(({ name }) => name).join(', ');
    this.logger.warn(`posts lacks indexes that readers of slot ${slot} or the job need, they are built: ${names}`);
    try {
      await this.indexes.build(missing, signal);
    } catch (error) {
      if (!(error instanceof MongoServerError) || isDatabaseOutage(error)) throw error;
      // an index of the same name with other options
      this.logger.error(`they could not be built, \`npm run cli -- indexes create\` says why: ${error.message}`);
    }
  }

  /** @param dirtySince null where every post must be compared */
  private async fill(
    lease: Lease,
    row: ScoreEpochRow,
    run: RunOptions,
    dirtySince: Date | null,
  ): Promise<RebuildOutcome & { isWhole: boolean }> {
    if (dirtySince !== null) {
      const refreshed = await this.slotRefresh.refreshSlot({ ...run, dirtySince });
      if (refreshed.written !== null) return { written: refreshed.written, isReindexed: false, isWhole: false };
      if (refreshed.why === 'no index') {
        this.logger.warn(
          'posts has no index of what is due, so this run compares all posts; it builds the index at its end',
        );
      }
      // the run after a crash must not take the posts that were not reached for those that need no look
      await this.runs.note(lease, { isWhole: true });
    }
    const outcome = await this.slotRebuild.rebuildSlot({
      ...run,
      droppedIndexes: row.filling?.indexes ?? null,
      beforeDrop: (indexes) => this.runs.note(lease, { indexes }),
    });
    return { ...outcome, isWhole: true };
  }
}
