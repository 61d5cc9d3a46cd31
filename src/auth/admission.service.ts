import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { SiteSettingsService } from '../platform/site-settings/site-settings.service.js';
import { RateLimiter } from '../platform/rate-limit/rate-limiter.js';
import { AccountNetworksService } from '../registration/account-networks.service.js';
import { invalidInvite, InvitesService } from '../registration/invites.service.js';
import { SignUpsService } from '../registration/sign-ups.service.js';
import { NewcomerLimitsService } from '../rules/newcomer-limits.service.js';
import { TextChecksService } from '../rules/text-checks.service.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { CredentialsService } from './credentials.service.js';
import type { RegistrationMode } from '../config/env.schema.js';
import type { Transaction } from '../platform/mongo/transaction.js';

/** The data of a registration, without the invite. */
export type Applicant = {
  username: string;
  fullName: string;
  email: string;
  passwordHash: string | null;
  /** `provider:sub` */
  identity: string | null;
  reason: string;
};

/** Applies the registration mode to all ways to register. */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly settings: SiteSettingsService,
    private readonly invites: InvitesService,
    private readonly networks: AccountNetworksService,
    private readonly rules: TextChecksService,
    private readonly newcomers: NewcomerLimitsService,
    private readonly signUps: SignUpsService,
    private readonly accounts: UserAccountsService,
    private readonly credentials: CredentialsService,
    private readonly limiter: RateLimiter,
  ) {}

  /** Counts a registration of a network, unless it fails and creates no account. @throws CodedError `rate_limited` */
  async count<T>(address: string, register: () => Promise<T>): Promise<T> {
    this.limiter.requireFrom(address, 'registrations');
    try {
      return await register();
    } catch (error) {
      this.limiter.refundTo(address, 'registrations');
      throw error;
    }
  }

  /** Runs before a password is hashed. @throws CodedError `registration_closed`, `invalid_invite` without an invite */
  async requirePossible(invite: string | undefined, tx?: Transaction): Promise<RegistrationMode> {
    const { registration: mode } = await this.settings.get(tx);
    if (mode === 'closed') throw new CodedError('registration_closed', 'This site accepts no new accounts.');
    if (mode === 'invite' && invite === undefined) throw invalidInvite();
    return mode;
  }

  /** @throws CodedError `newcomer_content` for the name of a site */
  requirePlainName(fullName: string): void {
    this.newcomers.requirePlain(null, [{ field: 'fullName', text: fullName }]);
  }

  /** @throws CodedError `mail_domain_refused` */
  requireMailDomain(email: string): Promise<void> {
    return this.rules.requireMailDomain(email);
  }

  /** Counts the new recipients of mails of a network. @throws CodedError `mail_domain_refused`, `rate_limited` */
  async requireRecipient(email: string, address: string): Promise<void> {
    await this.requireMailDomain(email);
    this.limiter.requireFrom(address, 'recipients');
  }

  /**
   * Uses the invite, unless registration is open, in the transaction of the account. Returns false if a moderator must decide: without an
   * invite, or in the network of a banned account.
   * @throws CodedError `registration_closed`, `invalid_invite`
   */
  async admit(invite: string | undefined, address: string, tx: Transaction): Promise<boolean> {
    if ((await this.requirePossible(invite, tx)) !== 'open') {
      if (invite === undefined) return false;
      await this.invites.use(invite, tx);
    }
    return !(await this.networks.isBanned(address, tx));
  }

  /** Records the network of a new account. */
  async recordNetwork(userId: ObjectId, address: string, tx: Transaction): Promise<void> {
    await this.networks.add(userId, address, tx);
  }

  /** Whether a registration with this identity waits for a moderator. */
  isPending(identity: string): Promise<boolean> {
    return this.signUps.has(identity);
  }

  /** Adds a registration for a moderator, once per identity. @throws CodedError `username_taken`, `email_taken`, `content_rejected` */
  async apply(applicant: Applicant, address: string, tx: Transaction): Promise<void> {
    const { username, fullName, email, passwordHash, identity, reason } = applicant;
    if (identity !== null && (await this.signUps.has(identity, tx))) return;
    const _id = new ObjectId();
    await this.accounts.requireUsable({ _id, username, fullName }, tx);
    await this.credentials.requireUnused(email, _id, tx);
    const row = { _id, username, fullName, email, passwordHash, identity, reason, createdAt: new Date() };
    await this.signUps.add(row, tx);
    await this.networks.add(_id, address, tx);
  }
}
