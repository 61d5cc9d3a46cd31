import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Collection, Document } from 'mongodb';
import { StartupError } from '../../common/errors.js';
import { AppConfig } from '../../config/app-config.js';
import { eventRow, StoredEventSchema } from '../events/event.schema.js';
import { Hosts } from '../hosts/hosts.js';
import { readValidator } from '../mongo/collection-validator.js';
import {
  type DatabaseFormat,
  keepEarlierProgramsOut,
  markFormat,
  PROGRAM,
  readFormat,
  refusalOf,
  writeFormat,
} from '../mongo/format/database-format.js';
import type { RedundantIndex } from '../mongo/indexes/index-diff.js';
import { diffCollections, ensureIndexes } from '../mongo/indexes/indexes.js';
import { LeaseService } from '../mongo/lease.service.js';
import { MongoService } from '../mongo/mongo.service.js';
import { Throttle } from '../work-queue/throttle.js';
import { FORMAT_RAISED } from './format-watch.service.js';
import type { Migration, MigrationRecord, Row, Step } from './migration.js';

const RECORDS = 'migrations';
const LEASE = 'migrations';
const BATCH = 200;
const POLL_MS = 1_000;
/** Longer than a stopped host counts as serving. */
const HOSTS_TIMEOUT_MS = 40_000;

export type MigrationStatus = {
  stored: DatabaseFormat | null;
  migrations: { migration: Migration; record: MigrationRecord | null; isPending: boolean }[];
};

export type MigrateOptions = {
  signal: AbortSignal;
  log: (line: string) => void;
  onProgress: (progress: { migration: Migration; rows: number; total: number }) => void;
};

/** Runs migrations under a lease, one after the other. An interrupted run continues where it was. */
@Injectable()
export class MigrationRunnerService {
  constructor(
    private readonly mongo: MongoService,
    private readonly leases: LeaseService,
    private readonly hosts: Hosts,
    private readonly modules: ModuleRef,
    private readonly config: AppConfig,
  ) {}

  async status(migrations: readonly Migration[]): Promise<MigrationStatus> {
    const stored = await readFormat(this.mongo.db);
    const records = await this.records.find().toArray();
    return {
      stored,
      migrations: migrations.map((migration) => ({
        migration,
        record: records.find(({ _id }) => _id === migration.number) ?? null,
        isPending: stored !== null && stored.format < migration.number,
      })),
    };
  }

  /** Counts the rows that a migration would change. Scans its collections. */
  async count({ steps }: Migration): Promise<number> {
    let rows = 0;
    for (const { collection, pending } of this.stepsOf({ steps }))
      rows += await this.mongo.db.collection(collection).countDocuments(pending);
    return rows;
  }

  /**
   * Creates indexes and validators, runs pending migrations, and raises the format after each. Waits while another process migrates.
   * @throws StartupError while hosts serve that could not serve the data afterwards
   */
  async up(migrations: readonly Migration[], options: MigrateOptions): Promise<void> {
    const { signal, log } = options;
    for (let isAnnounced = false; ; isAnnounced = true) {
      const { ran } = await this.leases.withLease(LEASE, (lost) =>
        this.migrate(migrations, { ...options, signal: AbortSignal.any([lost, signal]) }),
      );
      if (ran) return;
      if (!isAnnounced) log('Another process migrates this database; waiting for it.');
      await sleep(POLL_MS, undefined, { signal });
    }
  }

  private async migrate(migrations: readonly Migration[], options: MigrateOptions): Promise<void> {
    const { db, connection } = this.mongo;
    const stored = await readFormat(db);
    if (stored !== null && stored.format > PROGRAM.format) {
      const refusal = refusalOf(stored, db.databaseName);
      throw new StartupError(
        refusal ?? `Format ${stored.format} is newer than that of this program. Nothing was changed.`,
      );
    }
    const pending = migrations.filter(({ number }) => stored !== null && number > stored.format);
    await this.untilStopped(Math.max(0, ...pending.map(({ oldestProgram }) => oldestProgram)), options);
    if (pending.length > 0) await keepEarlierProgramsOut(db);
    const serving = await this.hosts.findServing();
    const isAlone = serving.length === 0;
    // Rows that a migration writes must fit the validators of this program.
    await ensureIndexes(connection, { dropUndeclared: isAlone, onProgress: options.log });
    if (!isAlone && (await diffCollections(connection)).some(({ redundant }) => redundant.some(isUndeclared)))
      options.log(`Undeclared indexes stay, because ${serving.join(', ')} may need them; run this again afterwards.`);
    const throttle = isAlone ? undefined : new Throttle(this.config.jobs.cleanupRowsPerSecond);
    for (const migration of pending) await this.run(migration, options, throttle);
    if (stored === null) await markFormat(db);
    if (pending.length > 0) await this.reportInvalidRows(options);
  }

  /** Waits for the last heartbeats of stopped hosts to expire. */
  private async untilStopped(oldestProgram: number, { signal, log }: MigrateOptions): Promise<void> {
    const deadline = performance.now() + HOSTS_TIMEOUT_MS;
    for (let isAnnounced = false; ; isAnnounced = true) {
      const hosts = await this.hosts.findBelow(oldestProgram);
      if (hosts.length === 0) return;
      const names = hosts.join(', ');
      if (performance.now() > deadline) {
        throw new StartupError(
          `Nothing was changed: ${names} still runs and cannot serve the data afterwards. Stop it and run the command again.`,
        );
      }
      if (!isAnnounced) log(`Waiting until ${names} has stopped; a stopped host counts for 25 s more.`);
      await sleep(POLL_MS, undefined, { signal });
    }
  }

  private async run(migration: Migration, options: MigrateOptions, throttle: Throttle | undefined): Promise<void> {
    const startedAt = performance.now();
    const total = await this.count(migration);
    let rows = 0;
    options.onProgress({ migration, rows, total });
    for (const step of this.stepsOf(migration)) {
      for await (const changed of this.batches(step, options.signal)) {
        rows += changed;
        options.onProgress({ migration, rows, total });
        await throttle?.wait(changed, options.signal);
      }
    }
    const { number, name, oldestProgram, drops = [] } = migration;
    for (const collection of drops) await this.mongo.db.dropCollection(collection);
    const { version } = PROGRAM;
    const endedAt = new Date();
    const record = { name, version, rows, durationMs: Math.round(performance.now() - startedAt), endedAt };
    const raised = { format: number, oldestProgram, version };
    await this.mongo.transaction(async (tx) => {
      await this.records.replaceOne({ _id: number }, record, { upsert: true, session: tx.session });
      await writeFormat(this.mongo.db, { ...raised, at: endedAt }, { session: tx.session });
      await this.mongo
        .collection(StoredEventSchema)
        .insertOne(eventRow(FORMAT_RAISED, raised), { session: tx.session });
    });
    options.log(`${number} ${name}: ${rows} rows in ${(record.durationMs / 1_000).toFixed(1)} s`);
  }

  private async *batches(
    { collection, pending, into = collection, change }: Step,
    signal: AbortSignal,
  ): AsyncGenerator<number> {
    const rows = this.mongo.db.collection<Row>(collection);
    let after: Row['_id'] | undefined;
    for (;;) {
      signal.throwIfAborted();
      const range = after === undefined ? pending : { $and: [pending, { _id: { $gt: after } }] };
      const batch = await rows.find(range).sort({ _id: 1 }).limit(BATCH).toArray();
      if (batch.length === 0) return;
      const writes = await change(batch);
      if (writes.length > 0) await this.mongo.db.collection(into).bulkWrite(writes, { ordered: false });
      yield batch.length;
      after = batch.at(-1)!._id;
    }
  }

  private get records(): Collection<MigrationRecord> {
    return this.mongo.db.collection<MigrationRecord>(RECORDS);
  }

  private stepsOf({ steps }: Pick<Migration, 'steps'>): Step[] {
    return steps((type) => this.modules.get(type, { strict: false }));
  }

  /** The next write of such a row would be refused. */
  private async reportInvalidRows({ log, signal }: MigrateOptions): Promise<void> {
    for (const model of Object.values(this.mongo.connection.models)) {
      signal.throwIfAborted();
      const validator = readValidator(model.schema);
      if (validator === undefined) continue;
      const { collectionName } = model.collection;
      const invalid: Document[] = await this.mongo.db
        .collection(collectionName)
        .find({ $nor: [validator] }, { projection: { _id: 1 } })
        .limit(3)
        .toArray();
      const ids = invalid.map(({ _id }) => String(_id)).join(', ');
      if (invalid.length > 0) log(`WARNING: rows of ${collectionName} do not fit its validator, for example ${ids}.`);
    }
  }
}

function isUndeclared({ kind }: RedundantIndex): boolean {
  return kind !== 'prefix';
}
