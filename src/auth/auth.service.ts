import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { AppConfig } from '../config/app-config.js';
import { ModerationHistoryService } from '../moderation/moderation-history.service.js';
import { AccessTokenService } from '../platform/access/access-token.service.js';
import type { Viewer } from '../platform/access/viewer.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { restricted } from '../platform/access/restricted.js';
import { Exported } from '../users/exported.decorator.js';
import { standingAt, suspendedUntil } from '../users/standing.js';
import { type OwnUserDto, toOwnUser } from '../users/user.dto.js';
import { UsersService } from '../users/users.service.js';
import type { AccountDto, SignedInDto } from './account.dto.js';
import type { ClientInfo } from './client-info.js';
import type { Credential } from './credential.schema.js';
import { CredentialsService } from './credentials.service.js';
import type { LoginBody } from './dto/sign-in.dto.js';
import { invalidCredentials, PasswordsService } from './passwords.service.js';
import { SecondFactorPort } from './second-factor-port.js';
import { CountedSignIn } from './sign-in-metrics.js';
import { type OpenSession, SessionsService } from './sessions.service.js';

/** Sign-in and sign-out. */
@Injectable()
export class AuthService {
  constructor(
    private readonly mongo: MongoService,
    private readonly users: UsersService,
    private readonly credentials: CredentialsService,
    private readonly sessions: SessionsService,
    private readonly passwords: PasswordsService,
    private readonly tokens: AccessTokenService,
    private readonly secondFactor: SecondFactorPort,
    private readonly history: ModerationHistoryService,
    private readonly config: AppConfig,
  ) {}

  /** @throws CodedError `invalid_credentials`, the same and after the same time for unknown accounts and wrong passwords */
  @CountedSignIn()
  async login({ login, password }: LoginBody, client: ClientInfo): Promise<SignedInDto> {
    return this.signInAfterFirstFactor(await this.passwords.checkLogin(login, password, client), client);
  }

  /**
   * Continues a sign-in after its first factor: a password, or the response of a provider.
   * @throws CodedError `second_factor_required`, `invalid_credentials` if the account has changed since the row was read
   */
  async signInAfterFirstFactor(credential: Credential, client: ClientInfo): Promise<SignedInDto> {
    await this.secondFactor.requireSecondFactor(credential);
    return this.signIn(credential, client);
  }

  /**
   * Starts a session after all factors of the account are verified.
   * @param alongside extra writes in the transaction of the session
   * @throws CodedError `account_banned`, `invalid_credentials` if the password was changed, or the account deleted, since the row was read
   */
  async signIn(
    credential: Credential,
    client: ClientInfo,
    alongside?: (tx: Transaction) => Promise<void>,
  ): Promise<SignedInDto> {
    const { user, opened } = await this.open(credential, client, { alongside });
    return this.signedIn(user, credential, opened);
  }

  /**
   * Like `signInAfterFirstFactor`, for a token of another API. The session ends after `ttlMs` unless `SessionsService.keepOpen` extends it.
   */
  @CountedSignIn()
  async openAfterFirstFactor(credential: Credential, client: ClientInfo, ttlMs: number): Promise<OpenSession> {
    await this.secondFactor.requireSecondFactor(credential);
    return (await this.open(credential, client, { ttlMs })).opened;
  }

  private async open(
    credential: Credential,
    client: ClientInfo,
    { alongside, ttlMs }: { alongside?: (tx: Transaction) => Promise<void>; ttlMs?: number },
  ): Promise<{ user: OwnUserDto; opened: OpenSession }> {
    const opened = await this.mongo.serializedTransaction(credential._id.toHexString(), async (tx) => {
      await alongside?.(tx);
      // A password that was just changed opens no session.
      if (!(await this.credentials.recordSignIn(credential, tx))) throw invalidCredentials();
      await this.requireNotBanned(credential._id, tx);
      return this.sessions.open(credential._id, client, tx, ttlMs);
    });
    // Reads the user last: a removal of the role since then ends this session, or is visible here.
    const user = await this.users.findById(credential._id);
    if (user === null) throw invalidCredentials();
    return { user: toOwnUser(user), opened };
  }

  /** @throws CodedError `account_banned` */
  private async requireNotBanned(userId: ObjectId, tx: Transaction): Promise<void> {
    const standing = standingAt((await this.users.findById(userId, tx))?.standing, Date.now());
    if (standing?.level !== 'banned') return;
    const action = await this.history.findById(standing.actionId, tx);
    const { contact = null } = this.config.moderation;
    const ban = { reason: action?.publicReason ?? '', until: standing.until?.toISOString() ?? null, contact };
    throw restricted('account_banned', standing.until, { ban });
  }

  /** @throws CodedError `invalid_refresh_token`; a late second use of a token ends its whole session */
  async refresh(refreshToken: string, client: ClientInfo, isOfCookie = false): Promise<SignedInDto> {
    const rotated = await this.sessions.rotate(refreshToken, client, isOfCookie);
    if (rotated !== null) {
      const { userId } = rotated;
      const [user, credential] = await Promise.all([this.users.findById(userId), this.credentials.findById(userId)]);
      if (user !== null && credential !== null) return this.signedIn(toOwnUser(user), credential, rotated);
    }
    throw new CodedError(
      'invalid_refresh_token',
      'The refresh token is unknown, expired, revoked or was used before; sign in again.',
    );
  }

  /** Ends the session of a token, with its access tokens. */
  async logout(refreshToken: string): Promise<void> {
    await this.sessions.close(refreshToken);
  }

  /** Ends every session of the viewer, including the current one. */
  async logoutEverywhere(viewer: Viewer, keepsCurrent = false): Promise<void> {
    await this.mongo.transaction(async (tx) => {
      if (keepsCurrent) await this.sessions.endOf(viewer._id, tx, viewer.signInId);
      else await this.sessions.endAllOf(viewer, tx);
      await this.credentials.revokeImportedTokens(viewer._id, tx);
    });
  }

  /** @throws CodedError `user_not_found` */
  async me(userId: ObjectId): Promise<AccountDto> {
    const [user, credential] = await Promise.all([this.users.getById(userId), this.credentials.findById(userId)]);
    if (credential === null) throw new CodedError('user_not_found', 'The account was deleted.');
    return toAccount(toOwnUser(user), credential);
  }

  @Exported('account.json')
  async exportAccount(userId: ObjectId): Promise<object> {
    const { settings } = await this.users.getById(userId);
    return { ...(await this.me(userId)), settings };
  }

  signedIn(user: OwnUserDto, credential: Credential, opened: OpenSession): SignedInDto {
    const { signInId, refreshToken } = opened;
    const account = toAccount(user, credential);
    const { id, role, isEmailVerified, standing } = account;
    const until = suspendedUntil(standing, Date.now());
    const issued = this.tokens.issue({ id, role, signInId, isEmailVerified, suspendedUntil: until });
    return { ...issued, tokenType: 'Bearer', refreshToken, user: account };
  }
}

function toAccount(user: OwnUserDto, { email, emailVerifiedAt, passwordHash }: Credential): AccountDto {
  return { ...user, email, isEmailVerified: emailVerifiedAt instanceof Date, hasPassword: passwordHash !== null };
}
