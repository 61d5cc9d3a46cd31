import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { mailboxOf } from '../common/canonical-address.js';
import type { Role } from '../platform/access/viewer.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { FIRST_ACCOUNT_TAG } from '../users/users.events.js';
import { type OwnUserDto, toOwnUser } from '../users/user.dto.js';
import type { SignedInDto } from './account.dto.js';
import { AdmissionService } from './admission.service.js';
import { AuthService } from './auth.service.js';
import type { ClientInfo } from './client-info.js';
import type { Credential } from './credential.schema.js';
import { CredentialsService } from './credentials.service.js';
import type { RegisterBody } from './dto/sign-in.dto.js';
import { EmailConfirmations } from './email-confirmations.js';
import type { NewAdminBody } from './new-admin.dto.js';
import { PasswordHasher, UNKNOWN_NETWORKS_SHARE } from './password-hasher.js';
import { SessionsService } from './sessions.service.js';

type NewAccount = Pick<Credential, 'email' | 'passwordHash' | 'emailVerifiedAt'> & {
  /** absent: a new id */
  _id?: ObjectId;
  username: string;
  fullName: string;
  role?: Role;
};

/** Creates accounts, on registration or for a caller that has admitted them. */
@Injectable()
export class AccountCreationService {
  constructor(
    private readonly mongo: MongoService,
    private readonly auth: AuthService,
    private readonly accounts: UserAccountsService,
    private readonly credentials: CredentialsService,
    private readonly sessions: SessionsService,
    private readonly hasher: PasswordHasher,
    private readonly confirmations: EmailConfirmations,
    private readonly admission: AdmissionService,
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
    await this.admission.requirePossible(invite);
    this.admission.requirePlainName(fullName);
    await this.admission.requireMailDomain(email);
    return this.admission.count(client.address, async () => {
      const passwordHash = await this.hasher.hash(password, UNKNOWN_NETWORKS_SHARE);
      return this.mongo.transaction(async (tx) => {
        const account = { username, fullName, email, passwordHash };
        if (!(await this.admission.admit(invite, client.address, tx))) {
          await this.admission.apply({ ...account, identity: null, reason }, client.address, tx);
          return null;
        }
        const { user, credential } = await this.create(account, tx);
        await this.admission.recordNetwork(credential._id, client.address, tx);
        await this.confirmations.send(credential, email, tx);
        return this.auth.signedIn(user, credential, await this.sessions.open(credential._id, client, tx));
      });
    });
  }

  /**
   * Creates an admin, without the limits of registration.
   * @param alongside checks and writes in its transaction
   * @throws CodedError `username_taken`, `email_taken`, `content_rejected`
   */
  async createAdmin(
    { username, fullName, email, password }: NewAdminBody,
    client: ClientInfo,
    alongside: (userId: ObjectId, tx: Transaction) => Promise<void>,
  ): Promise<SignedInDto> {
    const passwordHash = await this.hasher.hash(password, UNKNOWN_NETWORKS_SHARE);
    return this.mongo.transaction(async (tx) => {
      const _id = new ObjectId();
      await alongside(_id, tx);
      const { user, credential } = await this.create(
        { _id, username, fullName, email, passwordHash, role: 'admin' },
        tx,
      );
      await this.confirmations.send(credential, email, tx);
      return this.auth.signedIn(user, credential, await this.sessions.open(_id, client, tx));
    });
  }

  /** @throws CodedError `username_taken`, `email_taken` */
  async create(account: NewAccount, tx: Transaction): Promise<{ user: OwnUserDto; credential: Credential }> {
    const { username, fullName, role, _id = new ObjectId(), ...signIn } = account;
    const user = await this.accounts.create({ _id, username, fullName, role }, tx);
    const credential = { _id, ...signIn, mailbox: mailboxOf(signIn.email), updatedAt: new Date() };
    await this.credentials.create(credential, tx);
    // A process may have cached the absence of this profile.
    tx.invalidate([`user:${_id.toHexString()}`, FIRST_ACCOUNT_TAG]);
    return { user: toOwnUser(user), credential };
  }
}
