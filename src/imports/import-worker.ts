import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { ImportedDraftsService } from '../drafts/imported-drafts.service.js';
import { BlobStore } from '../platform/blobs/blob-store.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import {
  type HandlerContext,
  PHASE,
  repeatUntilEmpty,
  TaskHandlers,
  type TaskOutcome,
} from '../platform/work-queue/task-handlers.js';
import { requireMayWrite, viewerOf } from '../users/actor.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { ACCOUNT_ENDED } from '../users/users.events.js';
import { ArchiveEntries } from './archive-entries.js';
import { ArchiveImport } from './import.schema.js';
import { ImportPublisher } from './import-publisher.js';
import { ImportReader, ImportStopped } from './import-reader.js';
import { IMPORT_DONE, IMPORT_EXPIRED, IMPORT_STARTED } from './imports.events.js';
import { IMPORT_FIELDS } from './imports.service.js';

/** An archive that ends the process this often is given up. */
const MAX_ATTEMPTS = 20;
const OUTAGE_MS = 30_000;
const BATCH = 100;

/** Does the work of imports, one at a time, and deletes their rows and files. */
@Injectable()
export class ImportWorker implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly blobs: BlobStore,
    private readonly accounts: UserAccountsService,
    private readonly drafts: ImportedDraftsService,
    private readonly entries: ArchiveEntries,
    private readonly reader: ImportReader,
    private readonly publisher: ImportPublisher,
    private readonly handlers: TaskHandlers,
    @InjectModel(ArchiveImport.name) private readonly imports: Model<ArchiveImport>,
  ) {}

  onModuleInit(): void {
    this.handlers.register(IMPORT_STARTED, {
      name: 'imports',
      lane: 'long',
      run: (context) => this.run(context),
    });
    this.handlers.register(IMPORT_EXPIRED, {
      name: 'imports: expired',
      lane: 'long',
      run: ({ payload }) => this.deleteExpired(payload),
    });
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'imports',
      lane: 'both',
      order: PHASE.first,
      run: (context) => this.endOf(context),
    });
  }

  private async run(context: HandlerContext): Promise<TaskOutcome> {
    const row = await findOne(this.imports, { _id: context.payload }, IMPORT_FIELDS);
    if (row === null) return;
    if (row.state === 'deleted') return this.deleteDrafts(row, context);
    const state = row.state === 'waiting' ? 'reading' : row.state;
    if (state !== 'reading' && state !== 'publishing') return;
    const attempts = row.attempts + 1;
    const { matchedCount } = await this.imports.updateOne(
      { _id: row._id, state: row.state },
      { $set: { state, attempts } },
    );
    if (matchedCount === 0) return;
    try {
      const end = attempts > MAX_ATTEMPTS ? 'internal_error' : await this.runPart({ ...row, state }, context);
      if (end instanceof Date) return end;
      await this.finish({ ...row, state }, end);
    } catch (error) {
      if (error instanceof ImportStopped) return;
      if (context.signal.aborted || !(error instanceof CodedError)) throw error;
      if (error.status >= 500) return new Date(Date.now() + OUTAGE_MS);
      await this.finish({ ...row, state }, error.code);
    }
  }

  /** @returns a failure, null at the end of the work, or the time to continue */
  private async runPart(row: ArchiveImport, context: HandlerContext): Promise<string | Date | null> {
    const actor = await this.accounts.actor(row.userId);
    if (actor === null) return 'user_not_found';
    requireMayWrite(actor);
    const viewer = viewerOf(actor);
    return row.state === 'reading'
      ? this.reader.read(row, viewer, context)
      : this.publisher.publish(row, viewer, context);
  }

  private async finish({ _id, state }: ArchiveImport, failure: string | null): Promise<void> {
    if (state !== 'reading') {
      const $set = { state: failure === null ? 'published' : 'ready', isRunning: false, failure } as const;
      await this.imports.updateOne({ _id, state }, { $set });
      return;
    }
    const ended = failure === null ? 'ready' : 'failed';
    const $set = { state: ended, isRunning: false, failure } as const;
    await this.mongo.transaction(async (tx) => {
      const options = { session: tx.session, projection: { userId: 1, counts: 1 }, returnDocument: 'after' } as const;
      const row = await this.imports.findOneAndUpdate({ _id, state }, { $set }, options).lean();
      if (row !== null) await tx.runHooks(IMPORT_DONE, { _id, userId: row.userId, counts: row.counts, state: ended });
    });
    await this.blobs.delete(_id);
  }

  private async deleteDrafts({ _id: importId, userId: authorId }: ArchiveImport, { throttle }: HandlerContext) {
    await repeatUntilEmpty(throttle, () =>
      this.mongo.transaction((tx) => this.drafts.deleteUnpublished({ authorId, importId }, BATCH, tx)),
    );
    await this.entries.forget(importId);
    await this.blobs.delete(importId);
  }

  /** Deletes an interrupted upload, and an import after its time. */
  private async deleteExpired(_id: ObjectId): Promise<TaskOutcome> {
    const row = await findOne(this.imports, { _id }, { state: 1, expiresAt: 1 });
    if (row === null) return;
    if (row.state !== 'storing' && row.expiresAt > new Date()) return row.expiresAt;
    await this.blobs.delete(_id);
    await this.imports.deleteOne({ _id, state: row.state });
  }

  /** The row of an upload stays, so that IMPORT_EXPIRED finds its file. */
  private async endOf({ payload: userId, deleteInBatches }: HandlerContext): Promise<void> {
    const rows = await findMany(this.imports, { userId, state: { $ne: 'storing' } }, { _id: 1 });
    for (const { _id } of rows) {
      await this.imports.deleteOne({ _id });
      await this.blobs.delete(_id);
    }
    await deleteInBatches('archive_entries', { userId });
  }
}
