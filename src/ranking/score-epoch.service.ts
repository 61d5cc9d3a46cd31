import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, QueryFilter } from 'mongoose';
import { ClusterBus } from '../platform/cluster/bus.js';
import { FIRST_EPOCH, SCORE_EPOCH_CHANNEL, SCORE_EPOCH_ID, type ScoreEpoch } from './score-epoch.js';
import { exportGauge } from '../platform/prometheus/metric.js';
import { isPreviousReadable, StoredScoreEpoch } from './ranking.schema.js';
import type { Transaction } from '../platform/mongo/transaction.js';

const REFRESH_MS = 1_000;
/** Maximum age of a cached epoch while the database responds. On a host without requests, an older epoch may be two flips old. */
export const EPOCH_TOO_OLD_MS = 2_000;
/** After this time, the database counts as unavailable. */
const REFRESH_TIMEOUT_MS = 500;

/**
 * Caches the current ranking epoch, with at most one query a second. The epoch may be two seconds old, because the slot of the previous
 * epoch stays unchanged until the next run. While the database is unavailable, the service returns the last known epoch.
 */
@Injectable()
export class ScoreEpochService {
  private cached: ScoreEpoch | undefined;
  private cachedAt = 0;
  /** of the last read; a process with jobs reads every 30 s */
  private scoredAt = 0;
  private isDatabaseUp = true;
  private refreshing: Promise<ScoreEpoch> | undefined;

  constructor(
    @InjectModel(StoredScoreEpoch.name) private readonly epochs: Model<StoredScoreEpoch>,
    private readonly bus: ClusterBus,
  ) {
    exportGauge({
      name: 'opencanvas_epoch_age_seconds',
      help: 'Age of the ranks of the feed',
      aggregator: 'min',
      read: () => (this.scoredAt === 0 ? undefined : (Date.now() - this.scoredAt) / 1_000),
    });
    bus.subscribe(SCORE_EPOCH_CHANNEL, () => void this.refresh().catch(() => undefined));
  }

  current(): ScoreEpoch | Promise<ScoreEpoch> {
    const { cached } = this;
    if (cached === undefined) return this.refresh();
    const ageMs = performance.now() - this.cachedAt;
    if (ageMs <= REFRESH_MS) return cached;
    const refreshed = this.refresh().catch(() => cached);
    return ageMs <= EPOCH_TOO_OLD_MS || !this.isDatabaseUp ? cached : this.inTime(refreshed, cached);
  }

  /** Returns an epoch at least as new as one that a client has received from another host. */
  async since(epoch: number): Promise<ScoreEpoch> {
    const cached = await this.current();
    if (cached.epoch >= epoch) return cached;
    // A running read may have started before the flip.
    await this.refreshing?.catch(() => undefined);
    return this.refresh();
  }

  /** Reads the epoch from the database. Called after a flip. */
  refresh(): Promise<ScoreEpoch> {
    this.refreshing ??= this.read().finally(() => (this.refreshing = undefined));
    return this.refreshing;
  }

  /** Returns the current document, or null before the first run. */
  async find(): Promise<StoredScoreEpoch | null> {
    const row = await this.epochs.findOne({ _id: SCORE_EPOCH_ID }).lean<StoredScoreEpoch | null>().exec();
    this.scoredAt = row?.scoredAt.getTime() ?? 0;
    return row;
  }

  /** Returns the current document, and creates it if necessary. */
  async findOrCreate(): Promise<StoredScoreEpoch> {
    const row = await this.find();
    if (row !== null) return row;
    const { epoch, slot, scoredAt } = FIRST_EPOCH;
    const first = { $setOnInsert: { epoch, slot, scoredAt, filling: null } };
    await this.epochs.updateOne({ _id: SCORE_EPOCH_ID }, first, { upsert: true, runValidators: true }).exec();
    return (await this.find())!;
  }

  /** Returns false if the document differs from `expected`. */
  async write(
    expected: QueryFilter<StoredScoreEpoch>,
    fields: Readonly<Record<string, unknown>>,
    tx?: Transaction,
  ): Promise<boolean> {
    const filter = { ...expected, _id: SCORE_EPOCH_ID } as const;
    const { matchedCount } = await this.epochs.updateOne(
      filter,
      { $set: fields },
      { session: tx?.session, runValidators: true },
    );
    return matchedCount === 1;
  }

  /** Returns the epoch and the age of its ranks in seconds (null before the first run), for operators. */
  async describe(): Promise<{ epoch: number; ageSeconds: number | null }> {
    const { epoch, scoredAt } = await this.current();
    return {
      epoch,
      ageSeconds: scoredAt.getTime() === 0 ? null : Math.round((Date.now() - scoredAt.getTime()) / 1_000),
    };
  }

  /** Resolves after this process has read the current epoch and published the change to the host's other processes. */
  async announce(): Promise<void> {
    this.bus.publish(SCORE_EPOCH_CHANNEL, null);
    await this.refresh();
  }

  /** Limits the wait for a database that does not respond to the first caller. */
  private async inTime(refreshed: Promise<ScoreEpoch>, cached: ScoreEpoch): Promise<ScoreEpoch> {
    const finished = new AbortController();
    const late = sleep(REFRESH_TIMEOUT_MS, cached, { signal: finished.signal }).then(
      () => {
        this.isDatabaseUp = false;
        return cached;
      },
      () => cached,
    );
    const found = await Promise.race([refreshed, late]);
    finished.abort();
    return found;
  }

  private async read(): Promise<ScoreEpoch> {
    const requestedAt = performance.now();
    const row = await this.find().catch((error: unknown) => {
      this.isDatabaseUp = false;
      throw error;
    });
    this.isDatabaseUp = true;
    this.cached =
      row === null
        ? FIRST_EPOCH
        : { epoch: row.epoch, slot: row.slot, scoredAt: row.scoredAt, isPreviousReadable: isPreviousReadable(row) };
    this.cachedAt = requestedAt;
    return this.cached;
  }
}
