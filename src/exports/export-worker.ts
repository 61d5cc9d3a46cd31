import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { ObjectId } from 'mongodb';
import { ZipFile } from 'yazl';
import { AccountMails } from '../auth/account-mails.js';
import { CredentialsService } from '../auth/credentials.service.js';
import { BlobStore } from '../platform/blobs/blob-store.js';
import { Leased } from '../platform/jobs/leased.decorator.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { PHASE, TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { ACCOUNT_ENDED } from '../users/users.events.js';
import { ExportArchive } from './export-archive.js';
import { type ExportFiles, ExportQueue } from './export-queue.js';
import { blobOf, type Export } from './export.schema.js';

const POLL_MS = 5_000;
const MAX_ATTEMPTS = 5;
/** before the same export is started again */
const BACK_OFF_MS = 1_000;

/**
 * Makes the files, one at a time, and removes them. One whose process was killed begins again from its beginning: its row still waits,
 * and what it left of the file is in no read.
 */
@Injectable()
export class ExportWorker implements OnModuleInit {
  private readonly logger = new Logger('Exports');

  constructor(
    private readonly mongo: MongoService,
    private readonly queue: ExportQueue,
    private readonly archive: ExportArchive,
    private readonly blobs: BlobStore,
    private readonly credentials: CredentialsService,
    private readonly mails: AccountMails,
    private readonly handlers: TaskHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'exports',
      lane: 'both',
      order: PHASE.first,
      run: async ({ payload, throttle }) => {
        // the row stays for the sweep of the job: an attempt that is under way leaves chunks, also when it is killed
        for (const row of await this.queue.findOf(payload)) {
          await this.queue.end(row._id);
          await this.removeFiles(row);
        }
        await throttle(1);
      },
    });
  }

  /** Until nothing waits and nothing has expired. */
  @Interval(POLL_MS)
  @Leased<ExportWorker>('exports', { isDue: (worker) => worker.isDue() })
  async work(signal: AbortSignal): Promise<void> {
    for (const row of await this.queue.findExpired()) {
      // a row without a file is found again
      await this.removeFiles(row);
      await this.queue.remove(row._id);
    }
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

  private async isDue(): Promise<boolean> {
    return (await this.queue.next()) !== null || (await this.queue.findExpired()).length > 0;
  }

  private async make(row: Export, signal: AbortSignal): Promise<void> {
    const { _id, userId, attempts } = row;
    const attempt = { _id, attempts: attempts + 1 };
    const isLeft = attempts < MAX_ATTEMPTS;
    const isOurs = await this.queue.change(row, isLeft ? { attempts: attempt.attempts } : { state: 'failed' });
    // not before: an attempt whose file goes must not become the one that is ready
    if (isOurs) await this.removeFiles(row);
    if (!isOurs || !isLeft) return;
    const bytes = await this.store(blobOf(attempt), userId, signal);
    const isKept = await this.mongo.transaction(async (session) => {
      if (!(await this.queue.change(attempt, { state: 'ready', bytes }, session))) return false;
      const credential = await this.credentials.findById(userId);
      if (credential !== null) await this.mails.send('exportReady', credential.email, session, _id.toHexString());
      return true;
    });
    if (!isKept) await this.blobs.delete(blobOf(attempt));
  }

  private async store(id: string, userId: ObjectId, signal: AbortSignal): Promise<number> {
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

  private async removeFiles({ _id, attempts }: ExportFiles): Promise<void> {
    for (let at = 1; at <= attempts; at++) await this.blobs.delete(blobOf({ _id, attempts: at }));
  }
}
