import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { invalidToken, OneTimeTokensService } from '../auth/one-time-tokens.service.js';
import { BAN_EXPORT } from '../auth/token-kinds.js';
import { CodedError } from '../common/errors.js';
import { AppConfig } from '../config/app-config.js';
import type { Viewer } from '../platform/access/viewer.js';
import { BlobStore } from '../platform/blobs/blob-store.js';
import type { SentFile } from '../platform/http/file-response.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import { isDuplicateKey } from '../platform/mongo/duplicate-key.js';
import { allFields, findMany, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { UsersService } from '../users/users.service.js';
import { toExport } from './dto/export.dto.js';
import { blobOf, Export, ExportSchema } from './export.schema.js';
import { EXPORT_EXPIRED, EXPORT_REQUESTED } from './exports.events.js';

const EXPORT_TTL_MS = 7 * 86_400_000;
/** Links appear in histories and logs, so they expire. */
const LINK_SECONDS = 86_400;

const FIELDS = allFields(ExportSchema);

/** Requests and returns exports for their owner, and opens their files for clients with a link. */
@Injectable()
export class ExportsService {
  private readonly secrets: readonly string[];

  constructor(
    private readonly mongo: MongoService,
    private readonly users: UsersService,
    private readonly blobs: BlobStore,
    private readonly oneTimeTokens: OneTimeTokensService,
    @InjectModel(Export.name) private readonly exports: Model<Export>,
    config: AppConfig,
  ) {
    this.secrets = config.auth.tokenSecrets;
  }

  /** @throws as `request` */
  create({ viewer, idempotencyKey }: WriteRequest): Promise<Export> {
    return this.request(viewer, async (tx, row) => {
      const headers = { location: locationOf(row) };
      tx.storeResponse(idempotencyKey, { status: 202, headers, body: toExport(row, null) });
    });
  }

  /** As `request`, by a token of the mail about a ban. @throws CodedError `invalid_email_token`, and as `request` */
  async requestByMail(token: string): Promise<Export> {
    const found = await this.oneTimeTokens.find(BAN_EXPORT, token);
    if (found === null) throw invalidToken();
    return this.request({ _id: found.userId }, async (tx) => {
      if ((await this.oneTimeTokens.use(BAN_EXPORT, token, tx)) === null) throw invalidToken();
    });
  }

  /** @param alongside extra writes in the transaction @throws CodedError `user_not_found`, `too_many_exports` */
  private async request(
    viewer: Pick<Viewer, '_id'>,
    alongside: (tx: Transaction, row: Export) => Promise<void>,
  ): Promise<Export> {
    const createdAt = new Date();
    const row: Export = {
      _id: new ObjectId(),
      userId: viewer._id,
      day: createdAt.toISOString().slice(0, 10),
      state: 'waiting',
      attempts: 0,
      bytes: null,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + EXPORT_TTL_MS),
    };
    try {
      await this.mongo.transaction(async (tx) => {
        await this.users.getById(row.userId, tx);
        await alongside(tx, row);
        await this.exports.insertOne(row, { session: tx.session });
        tx.addTask(EXPORT_REQUESTED, row._id);
        tx.addTask(EXPORT_EXPIRED, row._id, { runAt: row.expiresAt });
      });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      throw new CodedError(
        'too_many_exports',
        'You have requested an export today. You can request the next one tomorrow (UTC).',
      );
    }
    return row;
  }

  /** The latest first. One a day for seven days are at most eight. */
  async list({ _id: userId }: Viewer): Promise<Export[]> {
    const rows = await findMany(this.exports, { userId }, FIELDS, { sort: { day: -1 }, limit: 8 });
    return rows.filter((row) => !isOver(row));
  }

  /** @throws CodedError `export_not_found` */
  async get(viewer: Viewer, exportId: ObjectId): Promise<Export> {
    const row = await findOne(this.exports, { _id: exportId, userId: viewer._id }, FIELDS);
    if (row === null || isOver(row)) throw new CodedError('export_not_found', 'Export not found.');
    return row;
  }

  /** Returns a link that is valid without signing in, for a day. Null until the file exists. */
  linkOf({ _id, state }: Export): string | null {
    return state === 'ready' ? this.linkTo(_id, Math.floor(Date.now() / 1_000) + LINK_SECONDS) : null;
  }

  /** @param expires Unix time in seconds */
  linkTo(_id: ObjectId, expires: number): string {
    const id = _id.toHexString();
    return `/v1/users/me/exports/${id}/file?signature=${sign(id, expires, this.secrets[0]!)}`;
  }

  /** @throws CodedError `invalid_export_link`, also for an expired export */
  async open(exportId: ObjectId, signature: string): Promise<SentFile> {
    const expires = Number.parseInt(signature, 10);
    const isCurrent = expires > Date.now() / 1_000;
    const isSigned =
      isCurrent && this.secrets.some((secret) => equal(sign(exportId.toHexString(), expires, secret), signature));
    const row = isSigned ? await findOne(this.exports, { _id: exportId }, FIELDS) : null;
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

export function locationOf({ _id }: Pick<Export, '_id'>): string {
  return `/v1/users/me/exports/${_id.toHexString()}`;
}
