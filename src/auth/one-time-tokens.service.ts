import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Binary, type ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { findOne } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { OneTimeToken } from './one-time-token.schema.js';

const TOKEN_BYTES = 32;

/** The content of a token. Each kind belongs to one module. */
export type FoundToken<Data> = { userId: ObjectId; data: Data };

/** A kind of token: its name and lifetime. */
export type TokenKind<Data> = { name: string; ttlMs: number; data?: Data };

/** Issues and verifies tokens of 256 random bits, valid once and for a limited time: resets, confirmations, sign-in codes. */
@Injectable()
export class OneTimeTokensService {
  constructor(@InjectModel(OneTimeToken.name) private readonly tokens: Model<OneTimeToken>) {}

  /** Returns 43 characters of base64url. */
  async issue<Data extends Record<string, unknown>>(
    kind: TokenKind<Data>,
    userId: ObjectId,
    data: Data,
    tx: Transaction,
  ): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const row = { _id: idOf(kind, token), kind: kind.name, userId, data, expiresAt: new Date(Date.now() + kind.ttlMs) };
    await this.tokens.insertOne(row, { session: tx.session });
    return token;
  }

  /** Returns null for an unknown, used or expired token. The token stays valid. */
  async find<Data>(kind: TokenKind<Data>, token: string, tx?: Transaction): Promise<FoundToken<Data> | null> {
    const row = await findOne(
      this.tokens,
      { _id: idOf(kind, token), expiresAt: { $gt: new Date() } },
      { userId: 1, data: 1 },
      tx === undefined ? {} : { session: tx?.session },
    );
    return row === null ? null : { userId: row.userId, data: row.data as Data };
  }

  /** Finds and deletes a token. Concurrent uses delete the same row, so only one of them succeeds. */
  async use<Data>(kind: TokenKind<Data>, token: string, tx: Transaction): Promise<FoundToken<Data> | null> {
    const found = await this.find(kind, token, tx);
    if (found !== null) await this.tokens.deleteOne({ _id: idOf(kind, token) }, { session: tx.session });
    return found;
  }

  /**
   * Counts an attempt before its check, so that concurrent attempts count, too.
   * @returns the remaining attempts; null if none was left or the token is invalid
   */
  async countTry(kind: TokenKind<unknown>, token: string, maxTries: number): Promise<number | null> {
    const filter = { _id: idOf(kind, token), expiresAt: { $gt: new Date() }, tries: { $not: { $gte: maxTries } } };
    const change = { $inc: { tries: 1 } };
    const row = await this.tokens
      .findOneAndUpdate(filter, change, { returnDocument: 'after', projection: { tries: 1 } })
      .lean();
    return row === null ? null : maxTries - row.tries!;
  }

  /** Revokes the tokens of an account: all, or those of one kind. */
  async deleteOf(userId: ObjectId, tx: Transaction, kind?: TokenKind<unknown>): Promise<void> {
    await this.tokens.deleteMany(kind === undefined ? { userId } : { userId, kind: kind.name }, {
      session: tx.session,
    });
  }

  /** Revokes all tokens of an account except those of these kinds. */
  async deleteOthers(userId: ObjectId, kept: readonly string[], tx: Transaction): Promise<void> {
    await this.tokens.deleteMany({ userId, kind: { $nin: [...kept] } }, { session: tx.session });
  }
}

function idOf({ name }: TokenKind<unknown>, token: string): Binary {
  return new Binary(createHash('sha256').update(`${name}:${token}`).digest());
}

export function invalidToken(): CodedError {
  return new CodedError('invalid_email_token', 'The link was used, or has expired.');
}
