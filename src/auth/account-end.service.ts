import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { ResponseCache } from '../platform/cache/response-cache.js';
import { FOREGROUND_MS, OutboxPasses } from '../platform/outbox/outbox-passes.js';
import { Outbox } from '../platform/outbox/outbox.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { ACCOUNT_ENDED } from '../users/users.topics.js';
import { AuthService } from './auth.service.js';
import type { ClientInfo } from './client.decorator.js';
import { CredentialsService } from './credentials.service.js';
import { EndedAccounts } from './ended-accounts.js';
import { SessionsService } from './sessions.service.js';

/** Ends an account. */
@Injectable()
export class AccountEndService {
  constructor(
    private readonly mongo: MongoService,
    private readonly auth: AuthService,
    private readonly accounts: UserAccountsService,
    private readonly credentials: CredentialsService,
    private readonly sessions: SessionsService,
    private readonly outbox: Outbox,
    private readonly ended: EndedAccounts,
    private readonly passes: OutboxPasses,
    private readonly cache: ResponseCache,
  ) {}

  /**
   * One commit marks the account, forgets its credentials and sessions, and leaves an outbox row for what it wrote, gave and followed.
   * When this resolves no process of this host honours a token of the account any longer (other hosts learn it within seconds),
   * and all of that is gone from every read; of an account with so much that it takes longer than FOREGROUND_MS, the jobs
   * process takes the rest.
   * @throws CodedError `invalid_credentials` for a wrong password
   */
  async end(userId: ObjectId, password: string, client: ClientInfo): Promise<void> {
    const credential = await this.credentials.findById(userId);
    await this.auth.checkPassword(credential, userId.toHexString(), password, client);
    const row = await this.mongo.transaction(async (session) => {
      await this.accounts.end(userId, session);
      await this.credentials.remove(userId, session);
      await this.sessions.removeAll(userId, session);
      await this.cache.invalidateOnCommit([`user:${userId.toHexString()}`, 'top-writers'], session);
      return this.outbox.add(session, ACCOUNT_ENDED, userId, FOREGROUND_MS);
    });
    // before the rest, so that its tokens add nothing to what is being removed
    await this.ended.announce(userId.toHexString());
    await this.passes.finishForeground(row);
    await this.cache.settled();
  }
}
