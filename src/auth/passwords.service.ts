import { Injectable, Logger } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { canonicalAddress } from '../common/canonical-address.js';
import { CodedError } from '../common/errors.js';
import type { Viewer } from '../platform/access/viewer.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { AccountMails } from './account-mails.js';
import type { ClientInfo } from './client-info.js';
import type { Credential } from './credential.schema.js';
import { CredentialsService } from './credentials.service.js';
import type { ChangePasswordBody } from './dto/sign-in.dto.js';
import { LoginThrottle } from './login-throttle.js';
import { OneTimeTokensService } from './one-time-tokens.service.js';
import { PasswordHasher, UNKNOWN_NETWORKS_SHARE } from './password-hasher.js';
import { SessionsService } from './sessions.service.js';
import { KEPT_TOKENS } from './token-kinds.js';

/** Maximum age of a sign-in that serves as proof for an account without a password. */
const RECENT_MS = 10 * 60_000;

/** Checks the password of a sign-in, or of a request that needs it as a proof, and changes it. */
@Injectable()
export class PasswordsService {
  private readonly logger = new Logger('Passwords');

  constructor(
    private readonly mongo: MongoService,
    private readonly credentials: CredentialsService,
    private readonly sessions: SessionsService,
    private readonly hasher: PasswordHasher,
    private readonly throttle: LoginThrottle,
    private readonly oneTimeTokens: OneTimeTokensService,
    private readonly mails: AccountMails,
  ) {}

  /** @throws CodedError `invalid_credentials`, `rate_limited`, `overloaded` */
  async checkLogin(login: string, password: string, client: ClientInfo): Promise<Credential> {
    this.hasher.requireCapacity();
    return this.check(await this.credentials.findByLogin(login), login, password, client);
  }

  /**
   * Ends all other sessions, invalidates the codes and links sent to the account, except an undo of its address, and mails the owner.
   * @throws CodedError `invalid_credentials` for a wrong password, `recent_sign_in_required`
   */
  async change(viewer: Viewer, body: ChangePasswordBody, client: ClientInfo): Promise<void> {
    const credential = await this.requireRecentProof(viewer, 'currentPassword', body.currentPassword, client);
    const passwordHash = await this.hasher.hash(body.newPassword);
    await this.mongo.serializedTransaction(viewer.id, async (tx) => {
      if (!(await this.credentials.changePassword(credential, passwordHash, tx)))
        throw wrongPassword('currentPassword');
      await this.oneTimeTokens.deleteOthers(credential._id, KEPT_TOKENS, tx);
      await this.mails.send('passwordChanged', credential.email, tx);
      await this.sessions.endOf(credential._id, tx, viewer.signInId);
    });
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
    if (password !== undefined) this.hasher.requireCapacity();
    const credential = await this.credentials.findById(viewer._id);
    if (password !== undefined) return this.check(credential, viewer.id, password, client, () => wrongPassword(field));
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
  private async check(
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
    const isFree = this.hasher.hasCapacity(UNKNOWN_NETWORKS_SHARE);
    const share = isFree || !(await signIn.isKnownNetwork()) ? UNKNOWN_NETWORKS_SHARE : 1;
    // Throws before the attempt is counted.
    this.hasher.requireCapacity(share);
    const hash = credential?.passwordHash ?? null;
    const isRight = await this.throttle.guard(signIn, () => this.hasher.verify(hash, password, share));
    if (credential === null || !isRight) throw wrong();
    if (hash !== null && this.hasher.isOutdated(hash)) await this.upgradeHash(credential, password);
    return credential;
  }

  private async upgradeHash(credential: Credential, password: string): Promise<void> {
    try {
      await this.credentials.replaceHash(credential, await this.hasher.hash(password));
    } catch (error) {
      // The sign-in succeeds anyway, and the next one tries again.
      this.logger.warn(`a password hash could not be updated: ${String(error)}`);
    }
  }
}

/** The id of a session contains its start time. */
function isRecent({ signInId }: Viewer): boolean {
  return signInId !== undefined && Date.now() - new ObjectId(signInId).getTimestamp().getTime() <= RECENT_MS;
}

export function invalidCredentials(): CodedError {
  return new CodedError('invalid_credentials', 'Wrong username or password.');
}

export function wrongPassword(field: string): CodedError {
  return new CodedError('invalid_credentials', 'Wrong password.', {
    fields: [{ field, message: 'must be your present password' }],
  });
}
