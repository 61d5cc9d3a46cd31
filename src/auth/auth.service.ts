import { Injectable, Logger } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { ResponseCache } from '../platform/cache/response-cache.js';
import { AccessTokenService } from '../platform/access/access-token.service.js';
import type { Viewer } from '../platform/access/viewer.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { type OwnUserDto, toOwnUser } from '../users/user.dto.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { UsersService } from '../users/users.service.js';
import type { CredentialRow } from './credential.schema.js';
import { CredentialsService } from './credentials.service.js';
import type { AccountDto, SignedInDto } from './dto/account.dto.js';
import type { LoginBody, RegisterBody } from './dto/sign-in.dto.js';
import { EndedTokens } from './ended-tokens.js';
import { PasswordHasher } from './password-hasher.js';
import { type ClientInfo, type OpenSession, SessionsService } from './sessions.service.js';
import { SignInDelays } from './sign-in-delays.js';

/** Begins accounts, signs in and out. */
@Injectable()
export class AuthService {
  private readonly logger = new Logger('Auth');

  constructor(
    private readonly mongo: MongoService,
    private readonly users: UsersService,
    private readonly accounts: UserAccountsService,
    private readonly credentials: CredentialsService,
    private readonly sessions: SessionsService,
    private readonly passwords: PasswordHasher,
    private readonly tokens: AccessTokenService,
    private readonly delays: SignInDelays,
    private readonly ended: EndedTokens,
    private readonly cache: ResponseCache,
  ) {}

  /**
   * Account, credentials and first session commit together.
   * @throws CodedError `username_taken`, `email_taken`, `overloaded`
   */
  async register({ username, email, password, fullName }: RegisterBody, client: ClientInfo): Promise<SignedInDto> {
    const passwordHash = await this.passwords.hash(password);
    const _id = new ObjectId();
    const signedIn = await this.mongo.transaction(async (session) => {
      const user = await this.accounts.create({ _id, username, fullName }, session);
      const credential = { _id, email, passwordHash, updatedAt: new Date() };
      await this.credentials.create(credential, session);
      // a process may remember that there was no such profile
      await this.cache.invalidateOnCommit([`user:${_id.toHexString()}`], session);
      return this.signedIn(toOwnUser(user), credential, await this.sessions.open(_id, client, session));
    });
    await this.cache.settled();
    return signedIn;
  }

  /** @throws CodedError `invalid_credentials`, the same and after the same time for unknown accounts and wrong passwords */
  async login({ login, password }: LoginBody, client: ClientInfo): Promise<SignedInDto> {
    this.passwords.requireRoom();
    const credential = await this.checkPassword(await this.credentials.findByLogin(login), login, password, client);
    const user = await this.users.findById(credential._id);
    if (user === null) throw invalidCredentials();
    const opened = await this.mongo.transaction(async (session) => {
      // a password that is being changed opens no session any more
      if (!(await this.credentials.recordSignIn(credential, session))) throw invalidCredentials();
      return this.sessions.open(user._id, client, session);
    });
    return this.signedIn(toOwnUser(user), credential, opened);
  }

  /** @throws CodedError `invalid_refresh_token`; a late second use of a token ends everything that followed from its sign-in */
  async refresh(refreshToken: string, client: ClientInfo): Promise<SignedInDto> {
    const rotated = await this.sessions.rotate(refreshToken, client);
    if ('ended' in rotated) await this.ended.announce(rotated.ended);
    else {
      const { userId } = rotated;
      const [user, credential] = await Promise.all([this.users.findById(userId), this.credentials.findById(userId)]);
      if (user !== null && credential !== null) return this.signedIn(toOwnUser(user), credential, rotated);
    }
    throw new CodedError(
      'invalid_refresh_token',
      'The refresh token is unknown, expired, revoked or was used before; sign in again.',
    );
  }

  /** Ends the sign-in a token belongs to, its access tokens too. */
  async logout(refreshToken: string): Promise<void> {
    await this.ended.announce(await this.sessions.close(refreshToken));
  }

  /** @throws CodedError `user_not_found` */
  async me(userId: ObjectId): Promise<AccountDto> {
    const [user, credential] = await Promise.all([this.users.getById(userId), this.credentials.findById(userId)]);
    if (credential === null) throw new CodedError('user_not_found', 'The account has ended.');
    return toAccount(toOwnUser(user), credential);
  }

  /**
   * @param field of the body, which the error names
   * @throws CodedError `invalid_credentials`, `rate_limited`, `overloaded`
   */
  async checkOwnPassword({ id }: Viewer, field: string, password: string, client: ClientInfo): Promise<CredentialRow> {
    this.passwords.requireRoom();
    const credential = await this.credentials.findById(new ObjectId(id));
    return this.checkPassword(credential, id, password, client, () => wrongPassword(field));
  }

  /**
   * Checks a password under the delays for guessing, and makes its hash anew when the configured cost has changed.
   * @param login what was typed; it counts where there is no account, all names of an account count as one
   * @throws CodedError `invalid_credentials`, `rate_limited`, `overloaded`
   */
  private async checkPassword(
    credential: CredentialRow | null,
    login: string,
    password: string,
    { address }: ClientInfo,
    wrong = invalidCredentials,
  ): Promise<CredentialRow> {
    const signIn = {
      account: credential?._id.toHexString() ?? `name:${login.toLowerCase()}`,
      address,
      // asked of the database for an unknown name too, so that time tells nothing
      isKnownNetwork: () => this.sessions.isKnownNetwork(credential?._id ?? new ObjectId(), address),
    };
    const hash = credential?.passwordHash ?? null;
    const isRight = await this.delays.guard(signIn, () => this.passwords.verify(hash, password));
    if (credential === null || !isRight) throw wrong();
    if (this.passwords.isOutdated(credential.passwordHash)) await this.upgradeHash(credential, password);
    return credential;
  }

  private async upgradeHash(credential: CredentialRow, password: string): Promise<void> {
    try {
      await this.credentials.replaceHash(credential, await this.passwords.hash(password));
    } catch (error) {
      // the sign-in is right all the same; the next one tries again
      this.logger.warn(`a password hash was not renewed: ${String(error)}`);
    }
  }

  private signedIn(user: OwnUserDto, credential: CredentialRow, opened: OpenSession): SignedInDto {
    const { signInId, refreshToken } = opened;
    const issued = this.tokens.issue({ id: user.id, role: user.role, signInId });
    return { ...issued, tokenType: 'Bearer', refreshToken, user: toAccount(user, credential) };
  }
}

function toAccount(user: OwnUserDto, { email, emailVerifiedAt }: CredentialRow): AccountDto {
  return { ...user, email, isEmailVerified: emailVerifiedAt instanceof Date };
}

function invalidCredentials(): CodedError {
  return new CodedError('invalid_credentials', 'There is no account with this name and password.');
}

export function wrongPassword(field: string): CodedError {
  return new CodedError('invalid_credentials', 'This is not the password of your account.', {
    fields: [{ field, message: 'must be your present password' }],
  });
}
