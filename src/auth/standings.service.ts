import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import type { Transaction } from '../platform/mongo/transaction.js';
import { AccountNetworksService } from '../registration/account-networks.service.js';
import type { Standing } from '../users/standing.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { CredentialsService } from './credentials.service.js';
import { SessionsService } from './sessions.service.js';
import { TokenRevocations } from './token-revocations.js';

/** the end of a ban without an end */
const NEVER = new Date('9999-12-31');

/** Limits, suspends and bans accounts, and lifts all three. */
@Injectable()
export class StandingsService {
  constructor(
    private readonly accounts: UserAccountsService,
    private readonly credentials: CredentialsService,
    private readonly sessions: SessionsService,
    private readonly networks: AccountNetworksService,
    private readonly revocations: TokenRevocations,
  ) {}

  /**
   * A ban reserves the mailbox of the account, and if wanted bans its networks; another standing ends both.
   * Tokens contain a suspension, so a suspension or ban revokes every session and API token in the caller's transaction: a suspended
   * account signs in again, a banned one cannot. A lifted suspension (null) is in the next access token.
   * @throws CodedError `user_not_found`
   */
  async set(userId: ObjectId, standing: Standing | null, tx: Transaction): Promise<void> {
    const isBan = standing?.level === 'banned';
    // A concurrent sign-in or new API token writes this row: its session is revoked, or it runs again and finds the standing.
    await this.credentials.setBannedUntil(userId, isBan ? (standing.until ?? NEVER) : null, tx);
    await this.accounts.setStanding(userId, standing, tx);
    if (isBan && standing.bansNetwork === true) {
      const networks = await this.sessions.networksOf(userId, tx);
      await this.networks.ban(userId, networks, standing.until, tx);
    } else await this.networks.lift(userId, tx);
    if (standing === null || standing.level === 'limited') return;
    await this.credentials.revokeImportedTokens(userId, tx);
    await this.revocations.revokeOf(userId, tx);
  }
}
