import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Binary, type ClientSession, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { AppConfig } from '../config/app-config.js';
import type { TokenSecrets } from '../config/token-secrets.js';
import { networkOf } from '../common/networks.js';
import { findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { ClientInfo } from './client.decorator.js';
import { SESSION_MODEL, type SessionRow } from './session.schema.js';

const TOKEN_BYTES = 32;
const NETWORK_BYTES = 16;
const MAX_USER_AGENT_LENGTH = 200;
/** How long a refresh whose answer was lost may be sent again. */
const REPEAT_MS = 30_000;
const TOKEN_FIELDS = { userId: 1, familyId: 1, expiresAt: 1, rotatedAt: 1, revokedAt: 1 } as const;

export type Rotated = { userId: ObjectId; refreshToken: string };

/**
 * Refresh tokens: each is exchanged for the next of its family once. Sent again within 30 s it gives the same next one, whose first
 * answer may have been lost. Used later, or after the next one was used, it is held by two, the owner and a thief, who cannot be told
 * apart: the whole family ends.
 */
@Injectable()
export class SessionsService {
  private readonly ttlMs: number;
  private readonly secrets: TokenSecrets;

  constructor(
    private readonly mongo: MongoService,
    @InjectModel(SESSION_MODEL) private readonly sessions: Model<SessionRow>,
    config: AppConfig,
  ) {
    this.ttlMs = config.auth.refreshTokenTtlDays * 86_400_000;
    this.secrets = config.auth.tokenSecrets;
  }

  /** Begins a family. */
  async open(userId: ObjectId, client: ClientInfo, session?: ClientSession): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    await this.insert(token, userId, new ObjectId(), client, session);
    return token;
  }

  /** The next token, or null for one that is unknown, expired, revoked or used before. */
  async rotate(token: string, client: ClientInfo): Promise<Rotated | null> {
    // Two concurrent uses of one token write the same row: one of them runs again and then finds it used. So does a rotation
    // that meets the end of its family, because that writes every row of it.
    return this.mongo.transaction(async (session) => {
      const row = await findOne(this.sessions, { tokenHash: hashOf(token) }, TOKEN_FIELDS, { session });
      const now = new Date();
      if (row === null || row.revokedAt !== null || row.expiresAt <= now) return null;
      if (row.rotatedAt !== null) {
        const isRepeated = now.getTime() - row.rotatedAt.getTime() <= REPEAT_MS;
        const next = isRepeated ? await this.findUnusedNext(token, session) : null;
        if (next === null) await this.revokeFamily(row.familyId, session);
        return next === null ? null : { userId: row.userId, refreshToken: next };
      }
      const next = nextOf(token, this.secrets[0]);
      await this.sessions.updateOne({ _id: row._id }, { $set: { rotatedAt: now } }, { session });
      await this.insert(next, row.userId, row.familyId, client, session);
      return { userId: row.userId, refreshToken: next };
    });
  }

  /** Ends the family of a token; a token that is not known changes nothing. */
  async close(token: string): Promise<void> {
    await this.mongo.transaction(async (session) => {
      const row = await findOne(this.sessions, { tokenHash: hashOf(token) }, TOKEN_FIELDS, { session });
      if (row !== null) await this.revokeFamily(row.familyId, session);
    });
  }

  /** Whether the account has signed in, or refreshed its tokens, from there within the lifetime of a refresh token. */
  async isKnownNetwork(userId: ObjectId, address: string): Promise<boolean> {
    const networks = this.secrets.map((secret) => networkHash(secret, userId, address));
    const filter = { userId, network: { $in: networks } };
    return (await findOne(this.sessions, filter, { _id: 1 })) !== null;
  }

  /** Forgets every session of an account that ends. */
  async removeAll(userId: ObjectId, session: ClientSession): Promise<void> {
    await this.sessions.deleteMany({ userId }, { session });
  }

  /** Forgets every session of all accounts; returns how many refresh tokens there were. */
  async endAll(): Promise<number> {
    return (await this.sessions.deleteMany({})).deletedCount;
  }

  private async revokeFamily(familyId: ObjectId, session: ClientSession): Promise<void> {
    await this.sessions.updateMany({ familyId, revokedAt: null }, { $set: { revokedAt: new Date() } }, { session });
  }

  /** What the token was exchanged for, unless that was used since; made by the secret of the time. */
  private async findUnusedNext(token: string, session: ClientSession): Promise<string | null> {
    for (const next of this.secrets.map((secret) => nextOf(token, secret))) {
      const row = await findOne(this.sessions, { tokenHash: hashOf(next) }, TOKEN_FIELDS, { session });
      if (row !== null) return row.rotatedAt === null && row.revokedAt === null ? next : null;
    }
    return null;
  }

  private async insert(
    token: string,
    userId: ObjectId,
    familyId: ObjectId,
    { address, userAgent }: ClientInfo,
    session?: ClientSession,
  ): Promise<void> {
    const createdAt = new Date();
    const row: SessionRow = {
      _id: new ObjectId(),
      userId,
      familyId,
      tokenHash: hashOf(token),
      createdAt,
      expiresAt: new Date(createdAt.getTime() + this.ttlMs),
      rotatedAt: null,
      revokedAt: null,
      userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH),
      network: networkHash(this.secrets[0], userId, address),
    };
    await this.sessions.insertOne(row, { session });
  }
}

/** Plain SHA-256: the token holds 256 bits that cannot be guessed, so there is nothing to slow down. */
function hashOf(token: string): Binary {
  return new Binary(createHash('sha256').update(token).digest());
}

/** Derived, so that it can be given out a second time without being stored. */
function nextOf(token: string, secret: string): string {
  return createHmac('sha256', `refresh:${secret}`).update(token).digest('base64url');
}

/** Keyed and with the account in it: rows tell neither the network nor who shares it. */
function networkHash(secret: string, userId: ObjectId, address: string): Binary {
  const mac = createHmac('sha256', `network:${secret}`)
    .update(`${userId.toHexString()} ${networkOf(address)}`)
    .digest();
  return new Binary(mac.subarray(0, NETWORK_BYTES));
}
