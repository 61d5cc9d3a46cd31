import { createHmac, randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Binary, ObjectId } from 'mongodb';
import type { Model, QueryFilter } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { AppConfig } from '../config/app-config.js';
import type { TokenSecrets } from '../config/token-secrets.js';
import { networkOf, wideNetworkOf } from '../common/networks.js';
import { Encryptor } from '../common/encryptor.js';
import { hashOfSecret } from '../common/secret-hash.js';
import type { Viewer } from '../platform/access/viewer.js';
import { findMany, findOne, type ReadOptions } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { RateLimiter } from '../platform/rate-limit/rate-limiter.js';
import type { ClientInfo } from './client-info.js';
import { Session } from './session.schema.js';
import { TokenRevocations } from './token-revocations.js';

const TOKEN_BYTES = 32;
const NETWORK_BYTES = 16;
const MAX_USER_AGENT_LENGTH = 200;
/** Time in which a refresh can be repeated after a lost response. */
const REPEAT_MS = 30_000;
/** Maximum of an account. One more session ends the one that was unused for the longest time. */
export const MAX_SIGN_INS = 100;
/** latest sessions whose networks a ban may include */
const MAX_NETWORKS = 3;
const TOKEN_FIELDS = { userId: 1, familyId: 1, createdAt: 1, expiresAt: 1, rotatedAt: 1, revokedAt: 1 } as const;

/** An active session, as its owner sees it. */
export type ListedSession = {
  id: string;
  createdAt: Date;
  lastUsedAt: Date;
  userAgent: string;
  /** null if it was encrypted with a removed secret */
  network: string | null;
};

export type OpenSession = { userId: ObjectId; signInId: string; refreshToken: string };

/**
 * Exchanges each refresh token once for the next of its family; a repeat within 30 s, after a lost response, returns the same next token.
 * Later reuse, or reuse after the next token was used, ends the session, because an owner and a thief both have the token.
 */
@Injectable()
export class SessionsService implements OnModuleInit {
  private readonly ttlMs: number;
  private readonly keepMs: number;
  private readonly secrets: TokenSecrets;
  private readonly networks: Encryptor;

  constructor(
    private readonly mongo: MongoService,
    @InjectModel(Session.name) private readonly sessions: Model<Session>,
    private readonly limiter: RateLimiter,
    private readonly revocations: TokenRevocations,
    config: AppConfig,
  ) {
    this.ttlMs = config.auth.refreshTokenTtlDays * 86_400_000;
    this.keepMs = config.auth.accessTokenTtlSeconds * 1_000;
    this.secrets = config.auth.tokenSecrets;
    this.networks = new Encryptor(this.secrets, 'session-network');
  }

  onModuleInit(): void {
    const revokeOf = (userId: ObjectId, tx: Transaction) => this.endOf(userId, tx);
    this.revocations.register({ revokeOf, endedWithin: (ms) => this.endedWithin(ms) });
  }

  /**
   * Opens a session, and ends the oldest one above the limit. The caller writes the credentials in the same transaction, so concurrent
   * calls conflict.
   * @param ttlMs lifetime without a refresh or `keepOpen`
   */
  async open(userId: ObjectId, client: ClientInfo, tx: Transaction, ttlMs = this.ttlMs): Promise<OpenSession> {
    const refreshToken = randomBytes(TOKEN_BYTES).toString('base64url');
    const familyId = new ObjectId();
    await this.insert(refreshToken, { userId, familyId, ttlMs }, client, tx);
    const signInId = familyId.toHexString();
    // Excludes the new session, because the clock of another host may be ahead.
    const oldest = { sort: { createdAt: -1 }, skip: MAX_SIGN_INS - 1 } as const;
    await this.end(signInsOf(userId, signInId), tx, oldest);
    return { userId, signInId, refreshToken };
  }

  /** Extends an open session to this time, and returns its account. Returns null if the session has ended. */
  async keepOpen(familyId: ObjectId, until: Date): Promise<ObjectId | null> {
    const open = { familyId, rotatedAt: null, revokedAt: null, expiresAt: { $gt: new Date() } };
    const row = await findOne(this.sessions, open, TOKEN_FIELDS);
    if (row === null) return null;
    if (row.expiresAt < until) await this.sessions.updateOne(open, { $set: { expiresAt: until } });
    return row.userId;
  }

  /**
   * Returns the next token; null for an unknown, expired, revoked or reused token. A reuse ends the session. The token of a cookie stays
   * for the life of an access token, because each page of a site begins with a refresh.
   */
  async rotate(token: string, client: ClientInfo, isOfCookie = false): Promise<OpenSession | null> {
    // Concurrent uses of a token, or its use and the end of its session, write the same row: one of them runs again and finds the other.
    return this.mongo.transaction(async (tx) => {
      const row = await findOne(this.sessions, { tokenHash: hashOfSecret(token) }, TOKEN_FIELDS, {
        session: tx.session,
      });
      const now = new Date();
      if (row === null || row.revokedAt !== null || row.expiresAt <= now) return null;
      const { userId, familyId } = row;
      const open = { userId, signInId: familyId.toHexString() };
      const isKept = isOfCookie && row.rotatedAt === null && now.getTime() - row.createdAt.getTime() < this.keepMs;
      // Limits the session, not the address, which many people may share.
      this.limiter.requireOf(open.signInId, isKept ? 'reads' : 'auth');
      if (isKept) return { ...open, refreshToken: token };
      if (row.rotatedAt !== null) {
        const isRepeated = now.getTime() - row.rotatedAt.getTime() <= REPEAT_MS;
        const next = isRepeated ? await this.findUnusedNext(token, tx) : null;
        if (next === null) await this.end({ familyId }, tx);
        return next === null ? null : { ...open, refreshToken: next };
      }
      const next = nextOf(token, this.secrets[0]);
      await this.sessions.updateOne({ _id: row._id }, { $set: { rotatedAt: now } }, { session: tx.session });
      await this.insert(next, { userId, familyId, ttlMs: this.ttlMs }, client, tx);
      return { ...open, refreshToken: next };
    });
  }

  /** Ends the session of a token; an unknown token changes nothing. */
  async close(token: string): Promise<void> {
    await this.mongo.transaction(async (tx) => {
      const row = await findOne(this.sessions, { tokenHash: hashOfSecret(token) }, TOKEN_FIELDS, {
        session: tx.session,
      });
      if (row !== null) await this.end({ familyId: row.familyId }, tx);
    });
  }

  /** Ends all sessions of an account but one. */
  async endOf(userId: ObjectId, tx: Transaction, keptId?: string): Promise<void> {
    await this.end(signInsOf(userId, keptId), tx);
  }

  /** Ends all sessions of the viewer, including the current one. */
  async endAllOf({ _id, signInId }: Viewer, tx: Transaction): Promise<void> {
    const ended = await this.end(signInsOf(_id), tx);
    // The last refresh token may have expired before the access token.
    if (signInId !== undefined && !ended.includes(signInId)) this.revocations.revoke([signInId], tx);
  }

  /** The active sessions of an account, the most recently used first; at most 100. */
  async list(userId: ObjectId): Promise<ListedSession[]> {
    const open = { userId, rotatedAt: null, revokedAt: null, expiresAt: { $gt: new Date() } };
    const fields = { familyId: 1, createdAt: 1, userAgent: 1, shownNetwork: 1 } as const;
    const rows = await findMany(this.sessions, open, fields, { sort: { createdAt: -1 }, limit: MAX_SIGN_INS });
    return rows.map(({ familyId, createdAt, userAgent, shownNetwork }) => ({
      id: familyId.toHexString(),
      createdAt: familyId.getTimestamp(),
      lastUsedAt: createdAt,
      userAgent,
      network: this.decryptNetwork(shownNetwork),
    }));
  }

  /** The networks of the latest open sessions of an account, as `wideNetworkOf` returns them. */
  async networksOf(userId: ObjectId, tx?: Transaction): Promise<string[]> {
    const open = { userId, rotatedAt: null, revokedAt: null };
    const latest = { sort: { createdAt: -1 }, limit: MAX_NETWORKS, ...(tx && { session: tx?.session }) } as const;
    const rows = await findMany(this.sessions, open, { shownNetwork: 1 }, latest);
    const networks = rows.map(({ shownNetwork }) => this.decryptNetwork(shownNetwork));
    return [...new Set(networks.filter((network) => network !== null))];
  }

  /** Ends one session of the viewer. @throws CodedError `session_not_found` */
  async endOne({ _id: userId }: Viewer, familyId: ObjectId): Promise<void> {
    const ended = await this.mongo.transaction((tx) => this.end({ userId, familyId }, tx));
    if (ended.length === 0) throw new CodedError('session_not_found', 'Session not found.');
  }

  /** Ids of sessions that ended in the last `ms`, by the clock of the database. */
  async endedWithin(ms: number): Promise<string[]> {
    const isRecent = { $gte: ['$revokedAt', { $subtract: ['$$NOW', ms] }] };
    // $type lets the server use the partial index.
    const rows = await findMany(this.sessions, { revokedAt: { $type: 'date' }, $expr: isRecent }, { familyId: 1 });
    return rows.map(({ familyId }) => familyId.toHexString());
  }

  /** Whether the account has signed in, or refreshed its tokens, from this network within the lifetime of a refresh token. */
  async isKnownNetwork(userId: ObjectId, address: string): Promise<boolean> {
    const networks = this.secrets.map((secret) => networkHash(secret, userId, address));
    const filter = { userId, network: { $in: networks } };
    return (await findOne(this.sessions, filter, { _id: 1 })) !== null;
  }

  /** Deletes every session of an account that is being deleted. */
  async deleteAll(userId: ObjectId, tx: Transaction): Promise<void> {
    await this.sessions.deleteMany({ userId }, { session: tx.session });
  }

  /** Deletes the sessions of all accounts; returns the number of refresh tokens. */
  async endAll(): Promise<number> {
    return (await this.sessions.deleteMany({})).deletedCount;
  }

  /** Revokes the one unexchanged token of each session, which invalidates the others. Returns the ids of the sessions. */
  private async end(
    filter: QueryFilter<Session>,
    tx: Transaction,
    range: Pick<ReadOptions, 'sort' | 'skip' | 'limit'> = {},
  ): Promise<string[]> {
    const open = { ...filter, rotatedAt: null, revokedAt: null };
    const rows = await findMany(this.sessions, open, { familyId: 1 }, { ...range, session: tx.session });
    if (rows.length === 0) return [];
    const ids = rows.map(({ _id }) => _id);
    await this.sessions.updateMany(
      { _id: { $in: ids } },
      { $currentDate: { revokedAt: true } },
      { session: tx.session },
    );
    const ended = rows.map(({ familyId }) => familyId.toHexString());
    this.revocations.revoke(ended, tx);
    return ended;
  }

  /** Returns the next token, unless the next token was used since. An earlier secret may have derived it. */
  private async findUnusedNext(token: string, tx: Transaction): Promise<string | null> {
    for (const next of this.secrets.map((secret) => nextOf(token, secret))) {
      const row = await findOne(this.sessions, { tokenHash: hashOfSecret(next) }, TOKEN_FIELDS, {
        session: tx.session,
      });
      if (row !== null) return row.rotatedAt === null && row.revokedAt === null ? next : null;
    }
    return null;
  }

  private decryptNetwork(encrypted: Binary): string | null {
    const network = this.networks.decrypt(encrypted.buffer);
    return typeof network === 'string' ? network : null;
  }

  private async insert(
    token: string,
    { userId, familyId, ttlMs }: { userId: ObjectId; familyId: ObjectId; ttlMs: number },
    { address, userAgent }: ClientInfo,
    tx: Transaction,
  ): Promise<void> {
    const createdAt = new Date();
    const row: Session = {
      _id: new ObjectId(),
      userId,
      familyId,
      tokenHash: hashOfSecret(token),
      createdAt,
      expiresAt: new Date(createdAt.getTime() + ttlMs),
      rotatedAt: null,
      revokedAt: null,
      userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH),
      network: networkHash(this.secrets[0], userId, address),
      shownNetwork: new Binary(this.networks.encrypt(wideNetworkOf(address))),
    };
    await this.sessions.insertOne(row, { session: tx.session });
  }
}

function signInsOf(userId: ObjectId, keptId?: string): QueryFilter<Session> {
  return keptId === undefined ? { userId } : { userId, familyId: { $ne: ObjectId.createFromHexString(keptId) } };
}

/** Derives the next token, so that a repeat returns it without storing it. */
function nextOf(token: string, secret: string): string {
  return createHmac('sha256', `refresh:${secret}`).update(token).digest('base64url');
}

/** Keys the hash and includes the account, so that rows reveal neither the network nor its users. */
function networkHash(secret: string, userId: ObjectId, address: string): Binary {
  const mac = createHmac('sha256', `network:${secret}`)
    .update(`${userId.toHexString()} ${networkOf(address)}`)
    .digest();
  return new Binary(mac.subarray(0, NETWORK_BYTES));
}
