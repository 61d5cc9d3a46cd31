import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { AccountMails } from '../account-mails.js';
import { PasswordsService, wrongPassword } from '../passwords.service.js';
import type { ClientInfo } from '../client-info.js';
import { CredentialsService } from '../credentials.service.js';
import { TokenRevocations } from '../token-revocations.js';
import { CodedError } from '../../common/errors.js';
import { requireFuture } from '../../common/future-date.js';
import { hashOfSecret } from '../../common/secret-hash.js';
import { ApiTokenVerifier, type FoundToken } from '../../platform/access/api-token-verifier.js';
import type { Viewer } from '../../platform/access/viewer.js';
import type { WriteRequest } from '../../platform/idempotency/write-request.js';
import { allFields, findMany, findOne } from '../../platform/mongo/lean-reads.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import type { Transaction } from '../../platform/mongo/transaction.js';
import { viewerOf } from '../../users/actor.js';
import { isBanned } from '../../users/standing.js';
import { UserAccountsService } from '../../users/user-accounts.service.js';
import { ApiToken, MAX_API_TOKENS, ApiTokenSchema } from './api-token.schema.js';
import type { CreateApiToken } from './dto/api-token-input.dto.js';
import { type NewApiTokenDto, toApiToken } from './dto/api-token.dto.js';

const TOKEN_BYTES = 32;
const API_TOKEN = /^oca_[A-Za-z0-9_-]{43}$/;
const USE_NOTED_MS = 60_000;
const ALL_FIELDS = allFields(ApiTokenSchema);

/** Creates, lists and revokes the API tokens of accounts, and finds them for the access guard. */
@Injectable()
export class ApiTokensService implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    @InjectModel(ApiToken.name) private readonly tokens: Model<ApiToken>,
    private readonly accounts: UserAccountsService,
    private readonly passwords: PasswordsService,
    private readonly credentials: CredentialsService,
    private readonly revocations: TokenRevocations,
    private readonly tokenVerifier: ApiTokenVerifier,
    private readonly mails: AccountMails,
  ) {}

  onModuleInit(): void {
    this.tokenVerifier.register({ form: API_TOKEN, find: (token) => this.find(token) });
    this.revocations.register({ revokeOf: (userId, tx) => this.end({ userId }, tx) });
  }

  /** @throws CodedError `too_many_api_tokens`, `invalid_expiry`, and as `requireRecentProof` */
  async create(
    { viewer, idempotencyKey }: WriteRequest,
    draft: CreateApiToken,
    client: ClientInfo,
  ): Promise<NewApiTokenDto> {
    const expiresAt = draft.expiresAt === undefined ? null : requireFuture(draft.expiresAt, 'expiresAt');
    const credential = await this.passwords.requireRecentProof(viewer, 'password', draft.password, client);
    const token = `oca_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
    const made = {
      userId: credential._id,
      tokenHash: hashOfSecret(token),
      name: draft.name,
      scopes: draft.scopes,
      createdAt: new Date(),
      expiresAt,
      lastUsedAt: null,
    };
    return this.mongo.transaction(async (tx) => {
      // Conflicts with a password reset, which revokes all tokens: none may be created with the old password afterwards.
      if (!(await this.credentials.lockUnchanged(credential, tx))) throw wrongPassword('password');
      const slot = await this.freeSlot(made.userId, tx);
      const row = { _id: new ObjectId(), slot, ...made };
      // Concurrent inserts into one slot conflict, and one of them runs again.
      await this.tokens.insertOne(row, { session: tx.session });
      await this.mails.send('apiTokenMade', credential.email, tx);
      const created = { ...toApiToken(row), token };
      tx.storeResponse(idempotencyKey, { status: 201, headers: { 'cache-control': 'no-store' }, body: created });
      return created;
    });
  }

  /** Returns the oldest token first. */
  async list(viewer: Viewer): Promise<ApiToken[]> {
    const rows = await findMany(this.tokens, { userId: viewer._id }, ALL_FIELDS, { limit: MAX_API_TOKENS });
    return rows.filter(isLive).sort((a, b) => a._id.toHexString().localeCompare(b._id.toHexString()));
  }

  /** Other processes and hosts accept the token for at most 1.5 s more (TokenRevocations). @throws CodedError `api_token_not_found` */
  async revoke(viewer: Viewer, tokenId: ObjectId): Promise<void> {
    const count = await this.mongo.transaction((tx) => this.end({ userId: viewer._id, _id: tokenId }, tx));
    if (count === 0) throw new CodedError('api_token_not_found', 'API token not found.');
  }

  /** Deletes the tokens of all accounts. Processes accept a cached token for a minute more. @returns the number of tokens */
  async revokeAll(): Promise<number> {
    return (await this.tokens.deleteMany({})).deletedCount;
  }

  /** Finds a token and records its use, at most once a minute, because processes cache the result for a minute. */
  private async find(token: string): Promise<FoundToken | null> {
    const row = await findOne(this.tokens, { tokenHash: hashOfSecret(token) }, ALL_FIELDS);
    if (row === null || !isLive(row)) return null;
    const owner = await this.accounts.actor(row.userId);
    if (owner === null || isBanned(owner)) return null;
    const now = Date.now();
    if (row.lastUsedAt === null || now - row.lastUsedAt.getTime() >= USE_NOTED_MS) {
      const filter = { _id: row._id, lastUsedAt: row.lastUsedAt };
      const writeConcern = { w: 1, journal: false } as const;
      await this.tokens.updateOne(filter, { $set: { lastUsedAt: new Date(now) } }, { writeConcern });
    }
    const { _id, scopes, expiresAt } = row;
    const hasRole = scopes.includes('moderation') || scopes.every((scope) => scope === 'operations');
    const viewer = viewerOf(owner, hasRole ? 'admin' : 'user');
    return { viewer: { ...viewer, signInId: _id.toHexString(), scopes }, expiresAt };
  }

  /** Revokes one token of an account, or all. Returns their number. */
  private async end(filter: { userId: ObjectId; _id?: ObjectId }, tx: Transaction): Promise<number> {
    const rows = await findMany(this.tokens, filter, { _id: 1 }, { session: tx.session });
    if (rows.length > 0) await this.tokens.deleteMany(filter, { session: tx.session });
    this.revocations.revoke(
      rows.map(({ _id }) => _id.toHexString()),
      tx,
    );
    return rows.length;
  }

  private async freeSlot(userId: ObjectId, tx: Transaction): Promise<number> {
    const taken = await findMany(this.tokens, { userId }, { slot: 1 }, { session: tx.session });
    const slots = new Set(taken.map(({ slot }) => slot));
    for (let slot = 0; slot < MAX_API_TOKENS; slot++) if (!slots.has(slot)) return slot;
    throw new CodedError(
      'too_many_api_tokens',
      `An account has at most ${MAX_API_TOKENS} API tokens. Revoke one first.`,
    );
  }
}

/** Checks the expiry, because MongoDB deletes expired rows a little later. */
function isLive({ expiresAt }: Pick<ApiToken, 'expiresAt'>): boolean {
  return expiresAt === null || expiresAt.getTime() > Date.now();
}
