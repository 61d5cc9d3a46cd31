import { createHmac, hash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Binary, type ClientSession, MongoServerError } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../../common/errors.js';
import { AppConfig } from '../../config/app-config.js';
import { isDuplicateKey } from '../mongo/duplicate-key.js';
import { findOne } from '../mongo/lean-reads.js';
import { MongoService } from '../mongo/mongo.service.js';
import { IDEMPOTENCY_KEY_MODEL, type IdempotencyKeyRow } from './idempotency.schema.js';

export type KeyedRequest = {
  key: string;
  /** the account, or null for a visitor, who is told apart by address and agent */
  accountId: string | null;
  address: string;
  userAgent: string;
  /** method and path */
  route: string;
  body: unknown;
};

export type StoredAnswer = { status: number; headers: Record<string, string>; body: string };

/** One keyed request on its way: `ids` name it, one by each of the secrets, and `fingerprint` tells bodies apart; all of it base64. */
export type Claim = { ids: string[]; fingerprint: string };

/** For a write that another process of the host commits; the status is that of the response. */
export type AnswerKey = Claim & { status: number };

/** The first response is stored: it was found, or another transaction stored it between our look and our write. */
export class AlreadyAnswered extends Error {
  override readonly name = 'AlreadyAnswered';

  /** @param answer where it is known */
  constructor(readonly answer?: StoredAnswer) {
    super();
  }
}

const KEY_PATTERN = /^[\x21-\x7e]{1,64}$/;
const WRITE_CONFLICT = 112;
const GZIP_FROM_BYTES = 1_024;
const ANSWER_FIELDS = { fingerprint: 1, status: 1, headers: 1, body: 1, isGzip: 1 } as const;

/** First responses by Idempotency-Key. Holds nothing in memory but the keys of requests that are running in this process. */
@Injectable()
export class IdempotencyService {
  private readonly secrets: string[];
  /** fingerprints by the first of their ids */
  private readonly running = new Map<string, string>();

  constructor(
    private readonly mongo: MongoService,
    @InjectModel(IDEMPOTENCY_KEY_MODEL) private readonly rows: Model<IdempotencyKeyRow>,
    config: AppConfig,
  ) {
    this.secrets = config.auth.tokenSecrets.map((secret) => `idempotency:${secret}`);
  }

  /** @throws CodedError `invalid_input` for a key that is not 1 to 64 printable ASCII characters without spaces */
  claim({ key, accountId, address, userAgent, route, body }: KeyedRequest): Claim {
    if (!KEY_PATTERN.test(key)) {
      const message = 'must be 1 to 64 printable ASCII characters without spaces';
      throw new CodedError('invalid_input', `Idempotency-Key ${message}.`, {
        fields: [{ field: 'Idempotency-Key', message }],
      });
    }
    const who = accountId ?? `visitor:${address}\0${userAgent}`;
    const ids = this.secrets
      .map((secret) => createHmac('sha256', secret).update(`${who}\0${route}\0${key}`).digest())
      .sort((a, b) => Buffer.compare(a, b))
      .map((id) => id.toString('base64'));
    const fingerprint = hash('sha256', JSON.stringify(body) ?? '', 'base64');
    return { ids, fingerprint };
  }

  /**
   * Lets one of several equal requests through. @returns the way to end it
   * @throws CodedError `request_in_progress`, or `idempotency_key_reused` when the running one has another body
   */
  enter({ ids, fingerprint }: Claim): () => void {
    const name = ids[0]!;
    const other = this.running.get(name);
    if (other !== undefined) throw other === fingerprint ? inProgress() : reused();
    this.running.set(name, fingerprint);
    return () => this.running.delete(name);
  }

  /** @throws CodedError `idempotency_key_reused` when the first request had another body */
  async find({ ids, fingerprint }: Claim): Promise<StoredAnswer | null> {
    const filter = { _id: { $in: ids.map(binary) } };
    const row = await findOne(this.rows, filter, ANSWER_FIELDS, { readConcern: { level: 'majority' } });
    if (row === null) return null;
    if (row.fingerprint.toString('base64') !== fingerprint) throw reused();
    const { status, headers, body, isGzip } = row;
    return { status, headers, body: (isGzip ? gunzipSync(body.buffer) : Buffer.from(body.buffer)).toString() };
  }

  /** The same as `store`, in the process that commits the write. */
  async storeFor(
    key: AnswerKey,
    { headers, body }: { headers: Record<string, string>; body: unknown },
    session: ClientSession,
  ): Promise<void> {
    await this.store(key, { status: key.status, headers, body: JSON.stringify(body) }, session);
  }

  /**
   * Writes the first response inside the caller's transaction, under all its ids: a host with another list of secrets finds it too. They
   * are sorted, so two that store at the same time meet at the first.
   * @throws CodedError `request_in_progress` when another process is storing one for the key
   * @throws AlreadyAnswered when it has
   */
  async store(claim: Claim, answer: StoredAnswer, session: ClientSession): Promise<void> {
    const plain = Buffer.from(answer.body);
    const isGzip = plain.length >= GZIP_FROM_BYTES;
    const row: Omit<IdempotencyKeyRow, '_id'> = {
      fingerprint: binary(claim.fingerprint),
      status: answer.status,
      headers: answer.headers,
      body: new Binary(isGzip ? gzipSync(plain, { level: 1 }) : plain),
      isGzip,
      createdAt: new Date(),
    };
    try {
      const rows = claim.ids.map((id): IdempotencyKeyRow => ({ _id: binary(id), ...row }));
      await this.mongo.batch.insert(this.rows.collection, rows, session);
    } catch (error) {
      if (isDuplicateKey(error)) throw new AlreadyAnswered();
      // only an equal request writes this row
      if (error instanceof MongoServerError && error.code === WRITE_CONFLICT) throw inProgress();
      throw error;
    }
  }
}

function binary(base64: string): Binary {
  return Binary.createFromBase64(base64);
}

/** Also when it comes from another process, which keeps the name and not the class. */
export function isAlreadyAnswered(error: unknown): error is Partial<AlreadyAnswered> {
  return error instanceof Error && error.name === 'AlreadyAnswered';
}

/** The first request runs, or its response is stored but may still be rolled back. */
export function inProgress(): CodedError {
  return new CodedError('request_in_progress', 'The first request with this Idempotency-Key is still running.', {
    retryAfterSeconds: 1,
  });
}

function reused(): CodedError {
  const message = 'was used with another body; choose a new key for a new request';
  return new CodedError('idempotency_key_reused', `The Idempotency-Key ${message}.`, {
    fields: [{ field: 'Idempotency-Key', message }],
  });
}
