import { Injectable } from '@nestjs/common';
import { type ClusterTime, MongoServerSelectionError, ReadPreference, type Timestamp } from 'mongodb';
import { BatchLoader } from '../../common/batch-loader.js';
import { within } from '../../common/within.js';
import { AppConfig } from '../../config/app-config.js';
import { counter } from '../prometheus/metric.js';
import type { ReadOptions } from './lean-reads.js';
import { MongoService } from './mongo.service.js';

/** Options that direct a read to a secondary, with its session and timeout. Absent: the primary. */
export type ReadTarget = Pick<ReadOptions, 'session' | 'readPreference' | 'readConcern' | 'maxTimeMS'>;

/** A cluster timestamp of the primary. */
type ClusterTimestamp = { operationTime: Timestamp; $clusterTime: ClusterTime };

/** The timeout of a read from a secondary, including its wait for replication. */
const SECONDARY_TIMEOUT_MS = 400;
/** The cooldown after a failure: reads use the primary, then one read tries a secondary. */
const COOLDOWN_MS = 5_000;
const NOW = 'now';
const MAJORITY = { level: 'majority' } as const;

const readsTotal = counter({
  name: 'opencanvas_mongo_secondary_reads_total',
  help: 'Public reads with MONGODB_READ_PREFERENCE: served by a secondary (answered), or by the primary because the secondary was late or failed, or during the cooldown after that (avoided)',
  labelNames: ['read', 'outcome'],
});

/**
 * Reads from secondaries (MONGODB_READ_PREFERENCE) after they have applied the primary's last majority commit, so a read sees every
 * write acknowledged before it, on any host. Concurrent reads share the request for the timestamp of that commit. For public data only:
 * reads for a write, in a transaction, of accounts or sessions, or of private data use the primary.
 */
@Injectable()
export class SecondaryReads {
  private readonly preference: ReadPreference | undefined;
  private readonly timestamps = new BatchLoader<ClusterTimestamp>({
    read: async () => new Map([[NOW, await this.fetchMajorityTime()]]),
  });
  private cooldownUntil = -Infinity;

  constructor(
    private readonly mongo: MongoService,
    config: AppConfig,
  ) {
    const { readPreference, maxStalenessSeconds } = config.mongo;
    if (readPreference !== 'primary')
      this.preference = new ReadPreference(readPreference, undefined, { maxStalenessSeconds });
  }

  /**
   * @param kind of data, for the metric
   * @param read reruns on the primary if a secondary times out or fails
   */
  run<T>(kind: string, read: (target?: ReadTarget) => Promise<T>): Promise<T> {
    return this.preference === undefined ? read() : this.readFromSecondary(kind, read, this.preference);
  }

  private async readFromSecondary<T>(
    read: string,
    run: (target?: ReadTarget) => Promise<T>,
    readPreference: ReadPreference,
  ): Promise<T> {
    if (performance.now() < this.cooldownUntil) return this.runAtPrimary(read, 'avoided', run);
    // Extends the cooldown, so that other reads use the primary during this attempt.
    if (this.cooldownUntil > 0) this.cooldownUntil = performance.now() + COOLDOWN_MS;
    const { cooldownUntil } = this;
    try {
      const timestamp = (await this.timestamps.get(NOW))!;
      const found = await within(SECONDARY_TIMEOUT_MS, this.readAt(timestamp, readPreference, run));
      if (found === undefined) return this.runAtPrimary(read, 'late', run);
      // Another read may have started a new cooldown during this read.
      if (this.cooldownUntil === cooldownUntil) this.cooldownUntil = -Infinity;
      readsTotal.inc({ read, outcome: 'answered' });
      return found[0];
    } catch (error) {
      // No primary was found, and another selection would take as long.
      if (error instanceof MongoServerSelectionError) throw error;
      return this.runAtPrimary(read, 'failed', run);
    }
  }

  /** @returns the result in an array, because the result itself may be undefined */
  private async readAt<T>(
    { operationTime, $clusterTime }: ClusterTimestamp,
    readPreference: ReadPreference,
    run: (target?: ReadTarget) => Promise<T>,
  ): Promise<[T]> {
    const session = this.mongo.client.startSession();
    try {
      session.advanceOperationTime(operationTime);
      // Without the cluster time a secondary rejects an operation time later than its own.
      session.advanceClusterTime($clusterTime);
      return [await run({ session, readPreference, readConcern: { ...MAJORITY }, maxTimeMS: SECONDARY_TIMEOUT_MS })];
    } finally {
      void session.endSession();
    }
  }

  private runAtPrimary<T>(
    read: string,
    outcome: 'late' | 'failed' | 'avoided',
    run: (target?: ReadTarget) => Promise<T>,
  ): Promise<T> {
    if (outcome !== 'avoided') this.cooldownUntil = performance.now() + COOLDOWN_MS;
    readsTotal.inc({ read, outcome });
    return run();
  }

  /** Reads with majority concern: the timestamp of a local read may never reach a secondary. */
  private async fetchMajorityTime(): Promise<ClusterTimestamp> {
    const command = {
      find: 'leases',
      projection: { _id: 1 },
      limit: 1,
      singleBatch: true,
      readConcern: { ...MAJORITY },
    };
    const { operationTime, $clusterTime } = await this.mongo.db.command(command);
    return { operationTime: operationTime as Timestamp, $clusterTime: $clusterTime as ClusterTime };
  }
}
