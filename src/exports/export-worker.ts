import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { ZipFile } from 'yazl';
import { AccountMails } from '../auth/account-mails.js';
import { CredentialsService } from '../auth/credentials.service.js';
import { AppConfig } from '../config/app-config.js';
import { BlobStore } from '../platform/blobs/blob-store.js';
import { JobsRunner } from '../platform/jobs/jobs-runner.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { HANDLER_ORDER, OutboxHandlers } from '../platform/outbox/outbox-handlers.js';
import { ACCOUNT_ENDED } from '../users/users.topics.js';
import { ExportArchive } from './export-archive.js';
import { ExportQueue } from './export-queue.js';
import type { ExportRow } from './export.schema.js';

const POLL_MS = 5_000;
const MAX_ATTEMPTS = 5;
/** before the same export is begun again */
const BACK_OFF_MS = 1_000;

/**
 * Makes the files, one at a time, and removes them. One whose process was killed begins again from its beginning: its row still waits,
 * and what it left of the file is in no read.
 */
@Injectable()
export class ExportWorker implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new Logger('Exports');

  constructor(
    private readonly mongo: MongoService,
    private readonly queue: ExportQueue,
    private readonly archive: ExportArchive,
    private readonly blobs: BlobStore,
    private readonly credentials: CredentialsService,
    private readonly mails: AccountMails,
    private readonly jobs: JobsRunner,
    private readonly handlers: OutboxHandlers,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'exports',
      stage: 'both',
      order: HANDLER_ORDER.seen,
      run: async ({ payload, throttle }) => {
        for (const id of await this.queue.findOf(payload)) await this.remove(id);
        await throttle(1);
      },
    });
  }

  onApplicationBootstrap(): void {
    if (!this.config.jobs.isEnabled) return;
    this.jobs.every(
      'exports',
      POLL_MS,
      (signal) => this.work(signal),
      async () => (await this.queue.next()) !== null || (await this.queue.findExpired()).length > 0,
    );
  }

  /** Until nothing waits and nothing has expired. The caller holds the lease. */
  async work(signal: AbortSignal): Promise<void> {
    for (const id of await this.queue.findExpired()) await this.remove(id);
    for (let row = await this.queue.next(); row !== null; row = await this.queue.next()) {
      signal.throwIfAborted();
      try {
        await this.make(row, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        this.logger.warn(`export ${row._id.toHexString()} failed, attempt ${row.attempts + 1}: ${String(error)}`);
        await sleep(BACK_OFF_MS, undefined, { signal });
      }
    }
  }

  private async make({ _id, userId, attempts }: ExportRow, signal: AbortSignal): Promise<void> {
    if (attempts >= MAX_ATTEMPTS) {
      await this.queue.change(_id, { state: 'failed' });
      return this.blobs.delete(_id);
    }
    await this.queue.change(_id, { attempts: attempts + 1 });
    const bytes = await this.store(_id, userId, signal);
    const isKept = await this.mongo.transaction(async (session) => {
      if (!(await this.queue.change(_id, { state: 'ready', bytes }, session))) return false;
      const credential = await this.credentials.findById(userId);
      if (credential !== null) await this.mails.send('exportReady', credential.email, session, _id.toHexString());
      return true;
    });
    if (!isKept) await this.blobs.delete(_id);
  }

  private async store(id: ObjectId, userId: ObjectId, signal: AbortSignal): Promise<number> {
    const zip = new ZipFile();
    const failed = new AbortController();
    const either = AbortSignal.any([signal, failed.signal]);
    const fail = (error: unknown): never => {
      failed.abort(error);
      throw error;
    };
    const [, bytes] = await Promise.all([
      this.archive.write(zip, userId, either).catch(fail),
      this.blobs.put(id, zip.outputStream as import('node:stream').Readable, either).catch(fail),
    ]);
    return bytes;
  }

  /** The file first: a row without a file is found again. */
  private async remove(id: ObjectId): Promise<void> {
    await this.blobs.delete(id);
    await this.queue.remove(id);
  }
}
