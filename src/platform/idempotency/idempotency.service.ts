import { createHmac, hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Binary, MongoServerError } from 'mongodb';
import type { Model } from 'mongoose';
import { Encryptor } from '../../common/encryptor.js';
import { CodedError } from '../../common/errors.js';
import { AppConfig } from '../../config/app-config.js';
import { isDuplicateKey } from '../mongo/duplicate-key.js';
import { findOne } from '../mongo/lean-reads.js';
import { MongoService } from '../mongo/mongo.service.js';
import type { Transaction } from '../mongo/transaction.js';
import { IdempotencyRecord } from './idempotency.schema.js';
import type { IdempotencyKey, NewResponse } from '../mongo/transaction-rows.js';

export type IdempotentOptions = {
  /** the written rows do not contain their author */
  hidesSender?: boolean;
  /** the response or the body has a secret */
  isSecret?: boolean;
};

export type KeyedRequest = {
  key: string;
  /** the account, or null for a visitor, identified by address and user agent */
  accountId: string | null;
  address: string;
  userAgent: string;
  /** method and path */
  route: string;
  body: unknown;
} & IdempotentOptions;

export type StoredResponse = { status: number; headers: Record<string, string>; body: string };

const KEY_PATTERN = /^[\x21-\x7e]{1,64}$/;
const WRITE_CONFLICT = 112;
const RESPONSE_FIELDS = { fingerprint: 1, status: 1, headers: 1, body: 1, isSealed: 1 } as const;

/** First responses by Idempotency-Key, each stored in the transaction of its write (Transaction.storeResponse). */
@Injectable()
export class IdempotencyService {
  private readonly secrets: string[];
  private readonly encryptor: Encryptor;

  constructor(
    mongo: MongoService,
    @InjectModel(IdempotencyRecord.name) private readonly rows: Model<IdempotencyRecord>,
    config: AppConfig,
  ) {
    mongo.completion.storeResponses = (responses, tx) => this.store(responses, tx);
    this.encryptor = new Encryptor(config.auth.encryptionKeys, 'idempotency');
    this.secrets = config.auth.tokenSecrets.map((secret) => `idempotency:${secret}`);
  }

  /**
   * Returns a hash that is keyed with the first secret if the request hides its sender (views): otherwise guessing a key ("1") in the
   * database would reveal which account viewed a post. Such a request runs again after that secret changes. `isSecret` encrypts the
   * response, and keys the hash of the body: a password in it could be guessed by a plain one.
   * @throws CodedError `invalid_input` for a key that is not 1 to 64 printable ASCII characters without spaces
   */
  keyOf({ key, accountId, address, userAgent, route, body, hidesSender, isSecret }: KeyedRequest): IdempotencyKey {
    if (!KEY_PATTERN.test(key)) {
      const message = 'must be 1 to 64 printable ASCII characters without spaces';
      throw new CodedError('invalid_input', `Idempotency-Key ${message}.`, {
        fields: [{ field: 'Idempotency-Key', message }],
      });
    }
    const keyed = (secret: string, text = name): string => createHmac('sha256', secret).update(text).digest('base64');
    const content = JSON.stringify(body) ?? '';
    const name = `${accountId ?? `visitor:${address}\0${userAgent}`}\0${route}\0${key}`;
    return {
      id: hidesSender ? keyed(this.secrets[0]!) : hash('sha256', name, 'base64'),
      // 0.1.0 stored each response under these ids. The next release can drop them, because rows expire after a day.
      earlierIds: this.secrets.map((secret) => keyed(secret)),
      fingerprint: isSecret ? keyed(this.secrets[0]!, content) : hash('sha256', content, 'base64'),
      ...(isSecret && { isSecret }),
    };
  }

  /**
   * Throws `request_in_progress` if the first response is stored, which `ReplayFilter` then sends instead.
   * @param fileHash of the received file (SHA-256), for a route that accepts one
   * @throws CodedError `request_in_progress`, and as `find`
   */
  async requireUnused(key: IdempotencyKey, fileHash?: Uint8Array): Promise<void> {
    // The filter has the same object.
    if (fileHash !== undefined) key.fingerprint = Buffer.from(fileHash).toString('base64');
    if ((await this.find(key)) !== null) throw inProgress();
  }

  /** @throws CodedError `idempotency_key_reused` when the first request had another body */
  async find({ id, earlierIds, fingerprint }: IdempotencyKey): Promise<StoredResponse | null> {
    // A row that only the primary has may be rolled back.
    const options = { readConcern: { level: 'majority' } } as const;
    const _id = { $in: [id, ...earlierIds].map((one) => Binary.createFromBase64(one)) };
    const row = await findOne(this.rows, { _id }, RESPONSE_FIELDS, options);
    if (row === null) return null;
    if (row.fingerprint.toString('base64') !== fingerprint) throw reused();
    const { status, headers, isSealed } = row;
    const body = isSealed ? (this.encryptor.decrypt(Buffer.from(row.body, 'base64')) as string | null) : row.body;
    return body === null ? null : { status, headers, body };
  }

  /** @throws CodedError `request_in_progress` when another request with a key is storing its response, or has stored it */
  private async store(responses: readonly NewResponse[], tx: Transaction): Promise<void> {
    const createdAt = new Date();
    const rows = responses.map(({ key, response: { status, headers, body } }): IdempotencyRecord => {
      const text = JSON.stringify(body);
      return {
        _id: Binary.createFromBase64(key.id),
        fingerprint: Binary.createFromBase64(key.fingerprint),
        status,
        headers,
        ...(key.isSecret ? { body: this.encryptor.encrypt(text).toString('base64'), isSealed: true } : { body: text }),
        createdAt,
      };
    });
    try {
      await tx.insert(this.rows.collection, rows);
    } catch (error) {
      // Only an equal request writes such a row.
      const isConflict = error instanceof MongoServerError && error.code === WRITE_CONFLICT;
      throw isConflict || isDuplicateKey(error) ? inProgress() : error;
    }
  }
}

/** The first request is running, or its response is stored but may still be rolled back. */
function inProgress(): CodedError {
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
