import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { AccountMails } from '../auth/account-mails.js';
import { CredentialsService } from '../auth/credentials.service.js';
import { BlobStore } from '../platform/blobs/blob-store.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { type HandlerContext, PHASE, TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { isBanned } from '../users/standing.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { ACCOUNT_ENDED } from '../users/users.events.js';
import { ExportArchive } from './export-archive.js';
import { blobOf, Export } from './export.schema.js';
import { EXPORT_EXPIRED, EXPORT_READY, EXPORT_REQUESTED } from './exports.events.js';
import { ExportsService } from './exports.service.js';

const MAX_ATTEMPTS = 5;
const FIELDS = { userId: 1, attempts: 1, expiresAt: 1 } as const;

/** An export and its attempts, each of which may have stored a file. */
type Attempt = Pick<Export, '_id' | 'attempts'>;

/**
 * Writes and deletes the files, one at a time. After a kill, a file is written again from its beginning: its row is still `waiting`, and
 * no read returns the incomplete file.
 */
@Injectable()
export class ExportWorker implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly archive: ExportArchive,
    private readonly blobs: BlobStore,
    private readonly credentials: CredentialsService,
    private readonly mails: AccountMails,
    private readonly handlers: TaskHandlers,
    private readonly accounts: UserAccountsService,
    private readonly service: ExportsService,
    @InjectModel(Export.name) private readonly exports: Model<Export>,
  ) {}

  onModuleInit(): void {
    this.handlers.register(EXPORT_REQUESTED, {
      name: 'exports: file',
      lane: 'long',
      run: ({ payload, signal }) => this.make(payload, signal),
    });
    // Runs in the lane of the files, so that no attempt is running.
    this.handlers.register(EXPORT_EXPIRED, {
      name: 'exports: expired',
      lane: 'long',
      run: ({ payload }) => this.delete(payload),
    });
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'exports',
      lane: 'both',
      order: PHASE.first,
      run: (context) => this.endOf(context),
    });
  }

  private async make(id: ObjectId, signal: AbortSignal): Promise<void> {
    const row = await findOne(this.exports, { _id: id, state: 'waiting' }, FIELDS);
    if (row === null) return;
    const { userId, attempts } = row;
    const attempt = { _id: id, attempts: attempts + 1 };
    const isLeft = attempts < MAX_ATTEMPTS;
    const isOurs = await this.change(row, isLeft ? { attempts: attempt.attempts } : { state: 'failed' });
    // Runs after the change: an attempt whose file is deleted must not become ready.
    if (isOurs) await this.deleteFiles(row);
    if (!isOurs || !isLeft) return;
    const bytes = await this.store(blobOf(attempt), userId, signal);
    const isKept = await this.mongo.transaction(async (tx) => {
      if (!(await this.change(attempt, { state: 'ready', bytes }, tx))) return false;
      await tx.runHooks(EXPORT_READY, row);
      const credential = await this.credentials.findById(userId);
      if (credential !== null) await this.mailTo(credential, row, tx);
      return true;
    });
    if (!isKept) await this.blobs.delete(blobOf(attempt));
  }

  /** A banned account cannot sign in, so its mail has the link to the file. */
  private async mailTo(
    { _id: userId, email }: { _id: ObjectId; email: string },
    { _id, expiresAt }: Pick<Export, '_id' | 'expiresAt'>,
    tx: Transaction,
  ): Promise<void> {
    const owner = await this.accounts.actor(userId);
    if (owner === null || !isBanned(owner)) return this.mails.send('exportReady', email, tx, _id.toHexString());
    const path = this.service.linkTo(_id, Math.floor(expiresAt.getTime() / 1_000));
    return this.mails.send('exportLink', email, tx, path);
  }

  /** Returns false if this attempt is no longer current: its account was deleted, or another host has started the export again. */
  private async change({ _id, attempts }: Attempt, $set: Partial<Export>, tx?: Transaction): Promise<boolean> {
    const filter = { _id, attempts, state: 'waiting' } as const;
    return (
      (await this.exports.updateOne(filter, { $set }, { session: tx?.session, runValidators: true })).matchedCount === 1
    );
  }

  private async store(id: string, userId: ObjectId, signal: AbortSignal): Promise<number> {
    const { ZipFile } = await import('yazl');
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

  /** A running or killed attempt may still store chunks, which the later task EXPORT_EXPIRED deletes. */
  private async endOf({ payload: userId, throttle }: HandlerContext): Promise<void> {
    const rows = await findMany(this.exports, { userId }, FIELDS);
    if (rows.length === 0) return;
    const ended = { state: 'failed', expiresAt: new Date() } as const;
    await this.mongo.transaction(async (tx) => {
      await this.exports.updateMany({ userId }, { $set: ended }, { session: tx.session, runValidators: true });
      const ids = rows.map(({ _id }) => _id);
      tx.addTasks(EXPORT_EXPIRED, ids);
    });
    for (const row of rows) await this.deleteFiles(row);
    await throttle(1);
  }

  private async delete(id: ObjectId): Promise<void> {
    const row = await findOne(this.exports, { _id: id }, FIELDS);
    if (row === null) return;
    // Deletes the files first, so that a retry finds the row.
    await this.deleteFiles(row);
    await this.exports.deleteOne({ _id: id });
  }

  private async deleteFiles({ _id, attempts }: Attempt): Promise<void> {
    for (let at = 1; at <= attempts; at++) await this.blobs.delete(blobOf({ _id, attempts: at }));
  }
}
