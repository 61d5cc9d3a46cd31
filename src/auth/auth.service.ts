import { Injectable, Logger } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { canonicalAddress, mailboxOf } from '../common/canonical-address.js';
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
import { UserAccountsService } from '../users/user-accounts.service.js';
import { UsersService } from '../users/users.service.js';
import type { AccountDto, SignedInDto } from './account.dto.js';
import { AdmissionService } from './admission.service.js';
import type { ClientInfo } from './client-info.js';
import type { Credential } from './credential.schema.js';
import { CredentialsService } from './credentials.service.js';
import type { LoginBody, RegisterBody } from './dto/sign-in.dto.js';
import { EmailConfirmations } from './email-confirmations.js';
import { TokenRevocations } from './token-revocations.js';
import { PasswordHasher, UNKNOWN_NETWORKS_SHARE } from './password-hasher.js';
import { SecondFactorPort } from './second-factor-port.js';
import { type OpenSession, SessionsService } from './sessions.service.js';
import { LoginThrottle } from './login-throttle.js';

export type NewAccount = Pick<Credential, 'email' | 'passwordHash' | 'emailVerifiedAt'> & {
  /** absent: a new id */
  _id?: ObjectId;
  username: string;
  fullName: string;
};

/** Maximum age of a sign-in that serves as proof for an account without a password. */
const RECENT_MS = 10 * 60_000;

export type CreatedAccount = { user: OwnUserDto; credential: Credential };

/** Registration, sign-in and sign-out. */
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
    private readonly delays: LoginThrottle,
    private readonly ended: TokenRevocations,
    private readonly secondFactor: SecondFactorPort,
    private readonly confirmations: EmailConfirmations,
    private readonly admission: AdmissionService,
    private readonly history: ModerationHistoryService,
    private readonly config: AppConfig,
  ) {}

  /**
   * Commits the account, credentials, first session and the mail to verify the address together. Returns null, without an account, if a
   * moderator must decide.
   * @throws CodedError `registration_closed`, `invalid_invite`, `newcomer_content`, `mail_domain_refused`, `username_taken`, `email_taken`,
   * `overloaded`, `rate_limited`
   */
  async register(
    { username, email, password, fullName, invite, reason = '' }: RegisterBody,
    client: ClientInfo,
  ): Promise<SignedInDto | null> {
    this.admission.requirePossible(invite);
    this.admission.requirePlainName(fullName);
    await this.admission.requireMailDomain(email);
    return this.admission.count(client.address, async () => {
      const passwordHash = await this.passwords.hash(password, UNKNOWN_NETWORKS_SHARE);
      return this.mongo.transaction(async (tx) => {
        const account = { username, fullName, email, passwordHash };
        if (!(await this.admission.admit(invite, client.address, tx))) {
          await this.admission.apply({ ...account, identity: null, reason }, client.address, tx);
          return null;
        }
        const { user, credential } = await this.beginAccount(account, tx);
        await this.admission.recordNetwork(credential._id, client.address, tx);
        await this.confirmations.send(credential, email, tx);
        return this.signedIn(user, credential, await this.sessions.open(credential._id, client, tx));
      });
    });
  }

  /** @throws CodedError `username_taken`, `email_taken` */
  async beginAccount(account: NewAccount, tx: Transaction): Promise<CreatedAccount> {
    const { username, fullName, _id = new ObjectId(), ...signIn } = account;
    const user = await this.accounts.create({ _id, username, fullName }, tx);
    const credential = { _id, ...signIn, mailbox: mailboxOf(signIn.email), updatedAt: new Date() };
    await this.credentials.create(credential, tx);
    // A process may have cached the absence of this profile.
    tx.invalidate([`user:${_id.toHexString()}`]);
    return { user: toOwnUser(user), credential };
  }

  /** @throws CodedError `invalid_credentials`, the same and after the same time for unknown accounts and wrong passwords */
  async login({ login, password }: LoginBody, client: ClientInfo): Promise<SignedInDto> {
    this.passwords.requireCapacity();
    const credential = await this.checkPassword(await this.credentials.findByLogin(login), login, password, client);
    return this.signInAfterFirstFactor(credential, client);
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
    this.ended.publish(opened.ended);
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
  async refresh(refreshToken: string, client: ClientInfo): Promise<SignedInDto> {
    const rotated = await this.sessions.rotate(refreshToken, client);
    if ('ended' in rotated) this.ended.publish(rotated.ended);
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

  /** Ends the session of a token, with its access tokens. */
  async logout(refreshToken: string): Promise<void> {
    this.ended.publish(await this.sessions.close(refreshToken));
  }

  /** @throws CodedError `user_not_found` */
  async me(userId: ObjectId): Promise<AccountDto> {
    const [user, credential] = await Promise.all([this.users.getById(userId), this.credentials.findById(userId)]);
    if (credential === null) throw new CodedError('user_not_found', 'The account was deleted.');
    return toAccount(toOwnUser(user), credential);
  }

  /** Returns the account with all its settings. */
  @Exported('account.json')
  async exportAccount(userId: ObjectId): Promise<object> {
    const { settings } = await this.users.getById(userId);
    return { ...(await this.me(userId)), settings };
  }

  /**
   * Proves that the owner sends the request, not a thief with an access token: by the password, or for an account without one by a sign-in
   * of the last ten minutes with a provider or a passkey.
   * @param field field of the body that the error names
   * @throws CodedError `invalid_credentials`, `recent_sign_in_required`, `rate_limited`, `overloaded`
   */
  async requireRecentProof(
    viewer: Viewer,
    field: string,
    password: string | undefined,
    client: ClientInfo,
  ): Promise<Credential> {
    if (password !== undefined) this.passwords.requireCapacity();
    const credential = await this.credentials.findById(viewer._id);
    if (password !== undefined)
      return this.checkPassword(credential, viewer.id, password, client, () => wrongPassword(field));
    if (credential === null || credential.passwordHash !== null) throw wrongPassword(field);
    if (!isRecent(viewer))
      throw new CodedError(
        'recent_sign_in_required',
        'Sign in again with a provider or a passkey, then repeat the request.',
      );
    return credential;
  }

  /**
   * Checks a password behind LoginThrottle, and rehashes it when the configured cost has changed.
   * @param login the typed login, counted as such if there is no account. Names and address of an account have separate counts: otherwise
   * a delay at a name would reveal the address of its owner
   * @throws CodedError `invalid_credentials`, `rate_limited`, `overloaded`
   */
  private async checkPassword(
    credential: Credential | null,
    login: string,
    password: string,
    { address }: ClientInfo,
    wrong = invalidCredentials,
  ): Promise<Credential> {
    const counted = login.includes('@') ? 'address' : 'name';
    const signIn = {
      account: `${counted}:${credential?._id.toHexString() ?? canonicalAddress(login) ?? login.toLowerCase()}`,
      address,
      // Runs for an unknown name, too, so that the response time reveals nothing.
      isKnownNetwork: () => this.sessions.isKnownNetwork(credential?._id ?? new ObjectId(), address),
    };
    const isFree = this.passwords.hasCapacity(UNKNOWN_NETWORKS_SHARE);
    const share = isFree || !(await signIn.isKnownNetwork()) ? UNKNOWN_NETWORKS_SHARE : 1;
    // Throws before the attempt is counted.
    this.passwords.requireCapacity(share);
    const hash = credential?.passwordHash ?? null;
    const isRight = await this.delays.guard(signIn, () => this.passwords.verify(hash, password, share));
    if (credential === null || !isRight) throw wrong();
    if (hash !== null && this.passwords.isOutdated(hash)) await this.upgradeHash(credential, password);
    return credential;
  }

  private async upgradeHash(credential: Credential, password: string): Promise<void> {
    try {
      await this.credentials.replaceHash(credential, await this.passwords.hash(password));
    } catch (error) {
      // The sign-in succeeds anyway, and the next one tries again.
      this.logger.warn(`a password hash could not be updated: ${String(error)}`);
    }
  }

  private signedIn(user: OwnUserDto, credential: Credential, opened: OpenSession): SignedInDto {
    const { signInId, refreshToken } = opened;
    const account = toAccount(user, credential);
    const { id, role, isEmailVerified, standing } = account;
    const until = suspendedUntil(standing, Date.now());
    const issued = this.tokens.issue({ id, role, signInId, isEmailVerified, suspendedUntil: until });
    return { ...issued, tokenType: 'Bearer', refreshToken, user: account };
  }
}

function toAccount(user: OwnUserDto, { email, emailVerifiedAt }: Credential): AccountDto {
  return { ...user, email, isEmailVerified: emailVerifiedAt instanceof Date };
}

/** The id of a session contains its start time. */
function isRecent({ signInId }: Viewer): boolean {
  return signInId !== undefined && Date.now() - new ObjectId(signInId).getTimestamp().getTime() <= RECENT_MS;
}

function invalidCredentials(): CodedError {
  return new CodedError('invalid_credentials', 'Wrong username or password.');
}

export function wrongPassword(field: string): CodedError {
  return new CodedError('invalid_credentials', 'Wrong password.', {
    fields: [{ field, message: 'must be your present password' }],
  });
}
