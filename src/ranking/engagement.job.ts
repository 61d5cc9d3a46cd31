import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { AppConfig } from '../config/app-config.js';
import { ResponseCache } from '../platform/cache/response-cache.js';
import { Leased } from '../platform/jobs/leased.decorator.js';
import { type Lease, LeaseLostError, LeaseService } from '../platform/mongo/lease.service.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { PostRanksService, type RankChange, type ScoredPost } from '../posts/post-ranks.service.js';
import { rankOf, scoredStatsOf } from '../posts/score.js';
import { FeedListCollector } from './feed-list.js';
import { FeedListsService } from './feed-lists.service.js';
import { isPreviousReadable, type StoredScoreEpoch } from './ranking.schema.js';
import { otherSlot, type RankSlot } from './score-epoch.js';
import { EPOCH_TOO_OLD_MS, ScoreEpochService } from './score-epoch.service.js';

export type ScoreRunOptions = {
  /** stops the run; the next run continues */
  signal?: AbortSignal;
  onProgress?: (written: number) => void;
  /** the time for the scores; default: now */
  now?: Date;
};

export type ScoreRunResult = {
  epoch: number;
  slot: RankSlot;
  scoredAt: Date;
  written: number;
  durationMs: number;
  /** the wait until the slot had no readers, only for a run shortly after another */
  waitedMs: number;
  /** CPU of this process during the run, including other work */
  cpuMs: number;
};

const JOB = 'score';
/** how often to check whether a run is due, because another host may have finished or crashed in its run */
const CHECK_INTERVAL_MS = 30_000;
const BATCH_SIZE = 1_000;
/** A batch takes a third of a second, and many times that on a busy server. */
const BATCH_LIMIT_MS = 30_000;
/** slightly longer than other processes take to detect that a slot is being filled */
const LEAD_IN_MS = EPOCH_TOO_OLD_MS + 250;

/**
 * The score job. Every ENGAGEMENT_INTERVAL_MINUTES, one process of all hosts streams the published posts, writes changed ranks into the
 * unused slot, and flips the epoch. The run after an interruption writes only the missing ranks.
 */
@Injectable()
export class EngagementJob {
  private readonly logger = new Logger('Score');
  private readonly intervalMs: number;
  /** Tests raise it for a busy machine. */
  batchLimitMs = BATCH_LIMIT_MS;

  constructor(
    private readonly leases: LeaseService,
    private readonly mongo: MongoService,
    private readonly epochs: ScoreEpochService,
    private readonly ranks: PostRanksService,
    private readonly lists: FeedListsService,
    private readonly cache: ResponseCache,
    config: AppConfig,
  ) {
    this.intervalMs = config.engagement.intervalMinutes * 60_000;
  }

  @Interval(CHECK_INTERVAL_MS)
  @Leased<EngagementJob>(JOB, { isDue: (job) => job.isDue(), leaseMs: (job) => job.leaseMs })
  async runWhenDue(signal: AbortSignal, lease: Lease): Promise<void> {
    await this.runUnderLease(lease, { signal });
  }

  /** Returns the current epoch document, or null before the first run. */
  status(): Promise<StoredScoreEpoch | null> {
    return this.epochs.find();
  }

  /** Returns true if the interval has passed since the last run of any host, if a run was interrupted, or if lists are missing. */
  async isDue(): Promise<boolean> {
    const row = await this.status();
    if (row === null || row.filling !== null || Date.now() - row.scoredAt.getTime() >= this.intervalMs) return true;
    return !(await this.lists.areWritten(row.slot));
  }

  /** Returns null while another process runs the job. @throws LeaseLostError if another process acquires the lease */
  async run(options: ScoreRunOptions = {}): Promise<ScoreRunResult | null> {
    const work = (lost: AbortSignal, lease: Lease): Promise<ScoreRunResult> => {
      const signal = options.signal === undefined ? lost : AbortSignal.any([lost, options.signal]);
      return this.runUnderLease(lease, { ...options, signal });
    };
    const outcome = await this.leases.withLease(JOB, work, { ttlMs: this.leaseMs });
    return outcome.ran ? outcome.result : null;
  }

  /** The lease must outlast the longest batch. */
  private get leaseMs(): number {
    return 2 * this.batchLimitMs;
  }

  private async runUnderLease(
    lease: Lease,
    { now = new Date(), signal, onProgress }: ScoreRunOptions & { signal: AbortSignal },
  ): Promise<ScoreRunResult> {
    const startedAt = performance.now();
    const cpuBefore = process.cpuUsage();
    const { row, waitedMs } = await this.begin(lease);
    await sleep(waitedMs);
    const slot = otherSlot(row.slot);
    let written = 0;
    let batch: RankChange[] = [];
    const collector = new FeedListCollector(now);
    const flush = async (): Promise<void> => {
      await this.ranks.applyRanks(batch, this.leases.fence(lease, this.batchLimitMs));
      written += batch.length;
      batch = [];
      onProgress?.(written);
    };
    for await (const post of this.ranks.streamScored()) {
      signal.throwIfAborted();
      collector.add(post);
      const diff = rankDiff(post, slot, now);
      if (diff !== null && batch.push(diff) === BATCH_SIZE) await flush();
    }
    if (batch.length > 0) await flush();
    signal.throwIfAborted();
    await this.flip(lease, row, slot, now, collector);
    const cpu = process.cpuUsage(cpuBefore);
    const cpuMs = Math.round((cpu.user + cpu.system) / 1_000);
    const durationMs = Math.round(performance.now() - startedAt);
    const epoch = row.epoch + 1;
    this.logger.log(`epoch ${epoch}: ${written} posts moved, ${durationMs} ms, ${cpuMs} ms CPU`);
    return { epoch, slot, scoredAt: now, written, durationMs, waitedMs, cpuMs };
  }

  /** Marks the unused slot as being filled, so that its cursors expire before its ranks change. */
  private async begin(lease: Lease): Promise<{ row: StoredScoreEpoch; waitedMs: number }> {
    const row = await this.epochs.findOrCreate();
    const filling = { startedAt: new Date(), token: lease.token };
    const isFree = [{ filling: null }, { 'filling.token': { $lt: lease.token } }];
    if (!(await this.epochs.write({ epoch: row.epoch, $or: isFree }, { filling })))
      throw new LeaseLostError(lease.name);
    await this.epochs.announce();
    return { row, waitedMs: isPreviousReadable(row) ? LEAD_IN_MS : 0 };
  }

  /** Switches all readers to the new ranks and lists in one commit, which fails if the lease is lost. */
  private async flip(
    lease: Lease,
    { epoch }: StoredScoreEpoch,
    slot: RankSlot,
    scoredAt: Date,
    collector: FeedListCollector,
  ): Promise<void> {
    // The next scheduled run then finds no readers of the other slot and does not wait.
    const previousUntil = new Date(Date.now() + this.intervalMs * 0.9);
    const next = { epoch: epoch + 1, slot, scoredAt, previousUntil, filling: null };
    const lists = collector.lists();
    await this.mongo.transaction(async (tx) => {
      await this.leases.confirm(lease, tx);
      await this.lists.write(lists, slot, tx);
      const expected = { epoch, 'filling.token': lease.token };
      if (!(await this.epochs.write(expected, next, tx))) throw new LeaseLostError(lease.name);
    });
    await this.epochs.announce();
    this.cache.invalidateOnHost(['feed']);
  }
}

/** Returns the ranks that differ from the formula at `now`, or null if all are equal. */
export function rankDiff(post: ScoredPost, slot: RankSlot, now: Date): RankChange | null {
  const { _id, createdAt, contentEditedAt } = post;
  const { hot, top, ageBucket } = rankOf(scoredStatsOf(post), createdAt, contentEditedAt, now, _id);
  // Posts written by other tools may have no ranks.
  const held: Partial<ScoredPost['rank']> = post.rank ?? {};
  const fields: RankChange['fields'] = {};
  // Omits unchanged fields, because the server would compare their indexes.
  if (held[`hot${slot}`] !== hot) fields[`rank.hot${slot}`] = hot;
  if (held[`top${slot}`] !== top) fields[`rank.top${slot}`] = top;
  if (held[`win${slot}`] !== ageBucket) fields[`rank.win${slot}`] = ageBucket;
  return Object.keys(fields).length === 0 ? null : { _id, fields };
}
