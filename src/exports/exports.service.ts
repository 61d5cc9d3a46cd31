import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { AppConfig } from '../config/app-config.js';
import type { Viewer } from '../platform/auth/viewer.js';
import { BlobStore } from '../platform/blobs/blob-store.js';
import type { AnsweredFile } from '../platform/http/file-answer.js';
import { isDuplicateKey } from '../platform/mongo/duplicate-key.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { UsersService } from '../users/users.service.js';
import { ExportQueue } from './export-queue.js';
import { blobOf, type Export } from './export.schema.js';

const KEPT_MS = 7 * 86_400_000;
/** Links appear in histories and logs, so they expire. */
const LINK_SECONDS = 86_400;

/** Exports for their owner, and their files for anyone with the link. */
@Injectable()
export class ExportsService {
  private readonly secrets: readonly string[];

  constructor(
    private readonly mongo: MongoService,
    private readonly users: UsersService,
    private readonly queue: ExportQueue,
    private readonly blobs: BlobStore,
    config: AppConfig,
  ) {
    this.secrets = config.auth.tokenSecrets;
  }

  /** @throws CodedError `user_not_found`, `too_many_exports` */
  async request({ id }: Viewer): Promise<Export> {
    const createdAt = new Date();
    const row: Export = {
      _id: new ObjectId(),
      userId: new ObjectId(id),
      day: createdAt.toISOString().slice(0, 10),
      state: 'waiting',
      attempts: 0,
      bytes: null,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + KEPT_MS),
    };
    try {
      await this.mongo.transaction(async (session) => {
        await this.users.getById(row.userId, session);
        await this.queue.add(row, session);
      });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      throw new CodedError(
        'too_many_exports',
        'You have asked for an export today; the next one is for tomorrow (UTC).',
      );
    }
    return row;
  }

  /** @throws CodedError `export_not_found` */
  async get({ id }: Viewer, exportId: ObjectId): Promise<Export> {
    const row = await this.queue.find({ _id: exportId, userId: new ObjectId(id) });
    if (row === null || isOver(row)) throw new CodedError('export_not_found', 'Export not found.');
    return row;
  }

  /** Valid without signing in, for a day. Null until the file exists. */
  linkOf({ _id, state }: Export): string | null {
    const id = _id.toHexString();
    const expires = Math.floor(Date.now() / 1_000) + LINK_SECONDS;
    return state === 'ready'
      ? `/v1/users/me/exports/${id}/file?signature=${sign(id, expires, this.secrets[0]!)}`
      : null;
  }

  /** @throws CodedError `invalid_export_link`, also for one that has ended */
  async open(exportId: ObjectId, signature: string): Promise<AnsweredFile> {
    const expires = Number.parseInt(signature, 10);
    const isCurrent = expires > Date.now() / 1_000;
    const isSigned =
      isCurrent && this.secrets.some((secret) => equal(sign(exportId.toHexString(), expires, secret), signature));
    const row = isSigned ? await this.queue.find({ _id: exportId }) : null;
    if (row === null || row.state !== 'ready' || row.bytes === null || isOver(row))
      throw new CodedError(
        'invalid_export_link',
        'The link is invalid or has expired. GET /v1/users/me/exports/{id} returns a new one.',
      );
    return {
      type: 'application/zip',
      bytes: row.bytes,
      disposition: 'attachment; filename="export.zip"',
      open: (range) => this.blobs.open(blobOf(row), range),
    };
  }
}

function isOver({ expiresAt }: Export): boolean {
  return expiresAt.getTime() <= Date.now();
}

/** @param expires Unix time in seconds */
function sign(id: string, expires: number, secret: string): string {
  return `${expires}.${createHmac('sha256', `export:${secret}`).update(`${id}.${expires}`).digest('base64url')}`;
}

function equal(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
