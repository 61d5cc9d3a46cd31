import { Injectable, Logger } from '@nestjs/common';
import { MongoServerError } from 'mongodb';
import { isDatabaseOutage } from '../common/database-outage.js';
import { AppConfig } from '../config/app-config.js';
import { type Lease, LeaseService } from '../platform/mongo/lease.service.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { Readiness } from '../platform/metrics/readiness.js';
import { fillSlotOfDue } from './refresh-slot.js';
import { buildRankIndexes, listMissingRankIndexes } from '../posts/ranking/rank-indexes.service.js';
import { FORMULA_VERSION } from '../posts/ranking/score.js';
import { removeScoreMarks } from '../posts/ranking/score-dirty-set.service.js';
import { type FillOutcome, fillSlot, type RunOptions } from './rebuild-slot.js';
import { otherSlot, type RankSlot, type ScoreEpoch, type ScoreEpochRow } from '../posts/ranking/score-epoch.js';
import { ScoreEpochService } from '../posts/ranking/score-epoch.service.js';
import { ScoreRuns } from './score-runs.service.js';

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

const LEASE = 'score';

/** Keeps the ranks of all listed posts: fills the slot nobody reads, then flips. Any number of hosts may ask; one run at a time. */
@Injectable()
export class EngagementService {
  private readonly logger = new Logger('Score');
  private readonly intervalMs: number;

  constructor(
    private readonly mongo: MongoService,
    private readonly leases: LeaseService,
    private readonly epoch: ScoreEpochService,
    private readonly runs: ScoreRuns,
    config: AppConfig,
    readiness: Readiness,
  ) {
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
    return this.runs.status();
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
    const { row, now, isResumed, marksSince, nextMarksSince, waitedMs } = await this.runs.begin(
      lease,
      options.now,
      options.isWhole ?? false,
    );
    const slot = otherSlot(row.slot);
    const { signal, onProgress } = options;
    const run = { slot, now, signal, fence: this.runs.fenceOf(lease), onProgress };
    // not the job's own: rows are written faster without it
    await this.buildMissingIndexes(row.slot, false, signal);
    const { written, isRebuilt, isWhole } = await this.fill(lease, row, run, marksSince);
    await this.buildMissingIndexes(slot, true, signal);
    signal.throwIfAborted();
    const marks = {
      marksSince: nextMarksSince,
      formula: FORMULA_VERSION,
      ...(isWhole && { comparedAllAt: new Date() }),
    };
    await this.runs.flip(lease, row, { slot, scoredAt: now, ...marks });
    // the next run passes over what is left of them
    await removeScoreMarks(this.mongo.db, nextMarksSince).catch(() => undefined);
    const durationMs = Math.round(performance.now() - startedAt);
    const cpu = process.cpuUsage(cpuBefore);
    const cpuMs = Math.round((cpu.user + cpu.system) / 1_000);
    const times = { durationMs, waitedMs, cpuMs };
    return { epoch: row.epoch + 1, slot, scoredAt: now, written, isResumed, isWhole, isRebuilt, ...times };
  }

  /** Whatever took them away: without them each read of the slot looks at all posts. */
  private async buildMissingIndexes(slot: RankSlot, isForJob: boolean, signal: AbortSignal): Promise<void> {
    const missing = await listMissingRankIndexes(this.mongo.connection, slot, isForJob);
    if (missing.length === 0) return;
    const names = missing.map(({ name }) => name).join(', ');
    this.logger.warn(`posts lacks indexes that readers of slot ${slot} or the job need, they are built: ${names}`);
    try {
      await buildRankIndexes(this.mongo.db, missing, signal);
    } catch (error) {
      if (!(error instanceof MongoServerError) || isDatabaseOutage(error)) throw error;
      // an index of the same name with other options
      this.logger.error(`they could not be built, \`npm run cli -- indexes create\` says why: ${error.message}`);
    }
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
        'posts has no index of what is due, so this run compares all posts; it builds the index at its end',
      );
    }
    // whoever comes after a crash must not take the posts that were not reached for those that need no look
    if (due !== null) await this.runs.note(lease, { isWhole: true });
    const outcome = await fillSlot(this.mongo.db, {
      ...run,
      areMostDue: due?.why === 'most are due',
      droppedIndexes: row.filling?.indexes ?? null,
      beforeDrop: (indexes) => this.runs.note(lease, { indexes }),
    });
    return { ...outcome, isWhole: true };
  }
}
