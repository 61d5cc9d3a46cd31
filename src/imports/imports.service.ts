import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { AppConfig } from '../config/app-config.js';
import { ImportedDraftsService } from '../drafts/imported-drafts.service.js';
import { ModerationLogService } from '../moderation/moderation-log.service.js';
import type { Viewer } from '../platform/access/viewer.js';
import { BlobStore } from '../platform/blobs/blob-store.js';
import { isDuplicateKey } from '../platform/mongo/duplicate-key.js';
import { allFields, findMany, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { PostChecksService } from '../posts/post-checks.service.js';
import { UsersService } from '../users/users.service.js';
import { ArchiveImport, ArchiveImportSchema, NO_COUNTS } from './import.schema.js';
import { IMPORT_EXPIRED, IMPORT_STARTED } from './imports.events.js';
import { openArchive } from './open-archive.js';
import { WebPages } from './web-pages.js';

export const IMPORT_FIELDS = allFields(ArchiveImportSchema);
/** in UTC */
const MAX_PER_DAY = 3;
const DAY_MS = 86_400_000;
const TTL_MS = 30 * DAY_MS;
export const MAX_LISTED = MAX_PER_DAY * (TTL_MS / DAY_MS + 1);
/** longer than an upload takes */
const STORING_MS = 3_600_000;
/** more posts with times in the past at once are logged for moderators */
const MAX_UNLOGGED = 100;

/** What an import reads. `address`: of a page or feed; null for a file */
type Source = { address: string | null; content: Readable };

/** Imports of archives, for their owner. The work is done by ImportWorker. */
@Injectable()
export class ImportsService {
  private readonly maxBytes: number;

  constructor(
    private readonly mongo: MongoService,
    private readonly users: UsersService,
    private readonly blobs: BlobStore,
    private readonly drafts: ImportedDraftsService,
    private readonly checks: PostChecksService,
    private readonly log: ModerationLogService,
    private readonly pages: WebPages,
    @InjectModel(ArchiveImport.name) private readonly imports: Model<ArchiveImport>,
    { imports: { maxBytes } }: AppConfig,
  ) {
    this.maxBytes = maxBytes;
  }

  /**
   * Checks the list of files of an archive and stores it.
   * @param path of the received file, which is deleted afterwards
   * @param operator has no limit a day, and may choose authors of the archive
   * @throws CodedError `invalid_archive`, `body_too_large`, `import_running`, `too_many_imports`, `user_not_found`
   */
  async create(
    viewer: Pick<Viewer, '_id'>,
    path: string,
    operator?: Pick<ArchiveImport, 'authors'>,
  ): Promise<ArchiveImport> {
    try {
      if ((await stat(path)).size > this.maxBytes)
        throw new CodedError('body_too_large', `An archive has at most ${this.maxBytes} bytes.`);
      (await openArchive(path)).close();
      const row = await this.insert(viewer._id, operator === undefined ? MAX_PER_DAY : Infinity, operator);
      return await this.store(row, async () => ({ address: null, content: createReadStream(path) }));
    } finally {
      await rm(path, { force: true });
    }
  }

  /**
   * Reads a page or a feed of another site and stores it.
   * @throws CodedError `import_failed`, `import_running`, `too_many_imports`, `user_not_found`
   */
  async createFromAddress({ _id }: Pick<Viewer, '_id'>, url: string): Promise<ArchiveImport> {
    return this.store(await this.insert(_id, MAX_PER_DAY), async () => {
      const { address, text } = await this.pages.read(url);
      return { address, content: Readable.from([Buffer.from(text)]) };
    });
  }

  /** The latest first: at most three a day for 31 days. */
  async list({ _id: userId }: Viewer): Promise<ArchiveImport[]> {
    const own = { userId, state: { $nin: ['storing' as const, 'deleted' as const] } };
    return findMany(this.imports, own, IMPORT_FIELDS, { sort: { day: -1, turn: -1 }, limit: MAX_LISTED });
  }

  /** @throws CodedError `import_not_found` */
  async get({ _id: userId }: Pick<Viewer, '_id'>, _id: ObjectId): Promise<ArchiveImport> {
    const row = await findOne(this.imports, { _id, userId }, IMPORT_FIELDS);
    if (row === null || row.state === 'storing' || row.state === 'deleted') throw importNotFound();
    return row;
  }

  /** Stops an import. The task deletes its drafts. @throws CodedError `import_not_found` */
  async delete(viewer: Viewer, _id: ObjectId): Promise<void> {
    await this.get(viewer, _id);
    await this.mongo.transaction(async (tx) => {
      const $set = { state: 'deleted', isRunning: false, problems: [] } as const;
      await this.imports.updateOne({ _id, userId: viewer._id }, { $set }, { session: tx.session });
      tx.addTask(IMPORT_STARTED, _id);
    });
  }

  /**
   * Publishes the drafts of an import that were published elsewhere, with those times, in the background.
   * @throws CodedError `import_not_found`, `import_running`, `newcomer_limit`
   */
  async publish(viewer: Viewer, _id: ObjectId): Promise<ArchiveImport> {
    await this.get(viewer, _id);
    this.checks.requireMayBackdate(viewer);
    const count = await this.drafts.countDated(viewer._id, _id);
    const change = { state: 'publishing', isRunning: true, attempts: 0, publishedTo: null } as const;
    await this.mongo
      .transaction(async (tx) => {
        const finished = { _id, userId: viewer._id, state: { $in: ['ready' as const, 'published' as const] } };
        const { matchedCount } = await this.imports.updateOne(finished, { $set: change }, { session: tx.session });
        if (matchedCount === 0) throw importRunning();
        if (count > MAX_UNLOGGED) {
          const about = { targetKind: 'user', targetId: viewer._id, ownerId: viewer._id } as const;
          const detail = `${count} posts with times in the past`;
          await this.log.add({ by: null, actorRole: 'system', kind: 'publish_import', ...about, detail }, tx);
        }
        tx.addTask(IMPORT_STARTED, _id);
      })
      .catch(runningOtherwise);
    return this.get(viewer, _id);
  }

  private async insert(
    userId: ObjectId,
    maxPerDay: number,
    { authors } = { authors: [] as string[] },
  ): Promise<ArchiveImport> {
    const createdAt = new Date();
    const day = createdAt.toISOString().slice(0, 10);
    const turn = await this.imports.countDocuments({ userId, day });
    if (turn >= maxPerDay)
      throw new CodedError(
        'too_many_imports',
        `An account has ${MAX_PER_DAY} imports a day. Try again tomorrow (UTC).`,
      );
    const row: ArchiveImport = {
      ...{ _id: new ObjectId(), userId, day, turn, state: 'storing', isRunning: true, address: null, authors },
      ...{ format: null, failure: null, attempts: 0, counts: { ...NO_COUNTS }, problems: [], publishedTo: null },
      ...{ createdAt, expiresAt: new Date(createdAt.getTime() + TTL_MS) },
    };
    await this.mongo
      .transaction(async (tx) => {
        await this.users.getById(userId, tx);
        await this.imports.insertOne(row, { session: tx.session });
        tx.addTask(IMPORT_EXPIRED, row._id, { runAt: new Date(createdAt.getTime() + STORING_MS) });
      })
      .catch(runningOtherwise);
    return row;
  }

  /** After a kill, IMPORT_EXPIRED deletes row and file. */
  private async store(row: ArchiveImport, read: () => Promise<Source>): Promise<ArchiveImport> {
    const { _id } = row;
    const storing = { _id, state: 'storing' } as const;
    try {
      const { address, content } = await read();
      await this.blobs.put(_id, content);
      return await this.mongo.transaction(async (tx) => {
        const $set = { state: 'waiting', address } as const;
        const { matchedCount } = await this.imports.updateOne(storing, { $set }, { session: tx.session });
        if (matchedCount === 0) throw new CodedError('user_not_found', 'The account was deleted.');
        tx.addTask(IMPORT_STARTED, _id);
        return { ...row, ...$set };
      });
    } catch (error) {
      const { deletedCount } = await this.imports.deleteOne(storing);
      if (deletedCount === 1) await this.blobs.delete(_id);
      throw error;
    }
  }
}

function runningOtherwise(error: unknown): never {
  throw isDuplicateKey(error) ? importRunning(error) : error;
}

function importRunning(cause?: unknown): CodedError {
  const detail = 'An import of the account is running. Wait for its end, or delete it.';
  return new CodedError('import_running', detail, { cause });
}

function importNotFound(): CodedError {
  return new CodedError('import_not_found', 'Import not found.');
}
