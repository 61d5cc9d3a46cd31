import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Binary, type ClientSession, type Collection, ObjectId } from 'mongodb';
import { AppConfig } from '../config/app-config.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { type SessionRow, SESSIONS } from './session.schema.js';

const TOKEN_BYTES = 32;
const MAX_USER_AGENT_LENGTH = 200;

export type Rotated = { userId: ObjectId; refreshToken: string };

/**
 * Refresh tokens: each can be used once and is exchanged for the next of its family. A second use of one means that two hold
 * it, the owner and a thief, and nobody can tell them apart: the whole family ends. There is no grace.
 */
@Injectable()
export class SessionsService {
  private readonly sessions: Collection<SessionRow>;
  private readonly ttlMs: number;

  constructor(
    private readonly mongo: MongoService,
    config: AppConfig,
  ) {
    this.sessions = mongo.collection<SessionRow>(SESSIONS);
    this.ttlMs = config.auth.refreshTokenTtlDays * 86_400_000;
  }

  /** Begins a family. */
  async open(userId: ObjectId, userAgent: string, session?: ClientSession): Promise<string> {
    return this.insert(userId, new ObjectId(), userAgent, session);
  }

  /** The next token, or null for one that is unknown, expired, revoked or used before. */
  async rotate(token: string, userAgent: string): Promise<Rotated | null> {
    // Two that use one token at once write the same row: one of them runs again and then finds it used. So does a rotation
    // that meets the end of its family, because that writes every row of it.
    return this.mongo.transaction(async (session) => {
      const row = await this.sessions.findOne({ tokenHash: hashOf(token) }, { session });
      const now = new Date();
      if (row === null || row.revokedAt !== null || row.expiresAt <= now) return null;
      if (row.rotatedAt !== null) {
        await this.revokeFamily(row.familyId, session);
        return null;
      }
      await this.sessions.updateOne({ _id: row._id }, { $set: { rotatedAt: now } }, { session });
      return {
        userId: row.userId,
        refreshToken: await this.insert(row.userId, row.familyId, userAgent, session),
      };
    });
  }

  /** Ends the family of a token; a token that is not known changes nothing. */
  async close(token: string): Promise<void> {
    await this.mongo.transaction(async (session) => {
      const row = await this.sessions.findOne({ tokenHash: hashOf(token) }, { session });
      if (row !== null) await this.revokeFamily(row.familyId, session);
    });
  }

  /** Forgets every session of an account that ends. */
  async removeAll(userId: ObjectId, session: ClientSession): Promise<void> {
    await this.sessions.deleteMany({ userId }, { session });
  }

  private async revokeFamily(familyId: ObjectId, session: ClientSession): Promise<void> {
    await this.sessions.updateMany({ familyId, revokedAt: null }, { $set: { revokedAt: new Date() } }, { session });
  }

  private async insert(
    userId: ObjectId,
    familyId: ObjectId,
    userAgent: string,
    session?: ClientSession,
  ): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
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
    };
    await this.sessions.insertOne(row, { session });
    return token;
  }
}

/** Plain SHA-256: the token holds 256 random bits, there is nothing to guess and so nothing to slow down. */
function hashOf(token: string): Binary {
  return new Binary(createHash('sha256').update(token).digest());
}
