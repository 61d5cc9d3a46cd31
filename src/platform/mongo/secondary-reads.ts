import { Injectable } from '@nestjs/common';
import { type ClusterTime, MongoServerSelectionError, ReadPreference, type Timestamp } from 'mongodb';
import { BatchLoader } from '../../common/batch-loader.js';
import { within } from '../../common/within.js';
import { AppConfig } from '../../config/app-config.js';
import { counter } from '../prometheus/metric.js';
import type { ReadOptions } from './lean-reads.js';
import { MongoService } from './mongo.service.js';

/**
 * The policy: secondaries serve reads of data that every visitor may see. Reads for a write, of accounts and sessions, of data that only
 * one reader may see, and inside a transaction do not use this class, and go to the primary.
 */
export type PublicRead = 'feed' | 'post' | 'card' | 'comments' | 'profile' | 'collection';

/** The server and the time of a read; absent: the primary. */
export type ReadTarget = Pick<ReadOptions, 'session' | 'readPreference' | 'readConcern' | 'maxTimeMS'>;

/** A point in the history of the primary. */
type Moment = { operationTime: Timestamp; $clusterTime: ClusterTime };

/** A secondary that has not applied a write within this time lags, or does not respond. */
const PATIENCE_MS = 400;
/** Reads use the primary for this time after a failure; then one read tries a secondary again. */
const AVOID_MS = 5_000;
const NOW = 'now';
const MAJORITY = { level: 'majority' } as const;

const readsTotal = counter({
  name: 'opencanvas_mongo_secondary_reads_total',
  help: 'Public reads where MONGODB_READ_PREFERENCE lets secondaries answer: answered there, or by the primary because one was late, failed, or is avoided for some seconds after that',
  labelNames: ['read', 'outcome'],
});

/**
 * Reads from secondaries (MONGODB_READ_PREFERENCE). Each read takes the time of the last majority commit from the primary, and the
 * secondary responds when it has applied that commit. So a read sees every write acknowledged before it began, on any host, like a
 * read from the primary. Concurrent reads share the request for the time.
 */
@Injectable()
export class SecondaryReads {
  private readonly preference: ReadPreference | undefined;
  private readonly moments = new BatchLoader<Moment>({ read: async () => new Map([[NOW, await this.askPrimary()]]) });
  private cooldownUntil = -Infinity;

  constructor(
    private readonly mongo: MongoService,
    config: AppConfig,
  ) {
    const { readPreference, maxStalenessSeconds } = config.mongo;
    if (readPreference !== 'primary')
      this.preference = new ReadPreference(readPreference, undefined, { maxStalenessSeconds });
  }

  /** @param read runs again on the primary when a secondary is late or fails */
  run<T>(kind: PublicRead, read: (place?: ReadTarget) => Promise<T>): Promise<T> {
    return this.preference === undefined ? read() : this.readFromSecondary(kind, read, this.preference);
  }

  private async readFromSecondary<T>(
    read: PublicRead,
    run: (place?: ReadTarget) => Promise<T>,
    readPreference: ReadPreference,
  ): Promise<T> {
    if (performance.now() < this.cooldownUntil) return this.runAtPrimary(read, 'avoided', run);
    // while this read tries again, others use the primary
    if (this.cooldownUntil > 0) this.cooldownUntil = performance.now() + AVOID_MS;
    const { cooldownUntil } = this;
    try {
      const moment = (await this.moments.get(NOW))!;
      const found = await within(PATIENCE_MS, this.readAsOf(moment, readPreference, run));
      if (found === undefined) return this.runAtPrimary(read, 'late', run);
      // another secondary may have been late since
      if (this.cooldownUntil === cooldownUntil) this.cooldownUntil = -Infinity;
      readsTotal.inc({ read, outcome: 'answered' });
      return found[0];
    } catch (error) {
      // no primary was found: looking for it again would take as long again
      if (error instanceof MongoServerSelectionError) throw error;
      return this.runAtPrimary(read, 'failed', run);
    }
  }

  /** @returns the result in a list, since it may be undefined */
  private async readAsOf<T>(
    { operationTime, $clusterTime }: Moment,
    readPreference: ReadPreference,
    run: (place?: ReadTarget) => Promise<T>,
  ): Promise<[T]> {
    const session = this.mongo.client.startSession();
    try {
      session.advanceOperationTime(operationTime);
      // a secondary refuses a cluster time that it does not know
      session.advanceClusterTime($clusterTime);
      return [await run({ session, readPreference, readConcern: { ...MAJORITY }, maxTimeMS: PATIENCE_MS })];
    } finally {
      void session.endSession();
    }
  }

  private runAtPrimary<T>(
    read: PublicRead,
    outcome: 'late' | 'failed' | 'avoided',
    run: (place?: ReadTarget) => Promise<T>,
  ): Promise<T> {
    if (outcome !== 'avoided') this.cooldownUntil = performance.now() + AVOID_MS;
    readsTotal.inc({ read, outcome });
    return run();
  }

  /** A majority read, like the acknowledgements: the time of a local read may be one that no secondary has yet. */
  private async askPrimary(): Promise<Moment> {
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
