import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { CredentialsService } from '../auth/credentials.service.js';
import { SessionsService } from '../auth/sessions.service.js';
import { AccountNetworksService } from '../registration/account-networks.service.js';
import { UserDirectoryService } from '../users/user-directory.service.js';
import { UsersService } from '../users/users.service.js';
import { MAX_RELATED, type Relation, type RelatedAccountDto } from './dto/related-account.dto.js';

/** Accounts that probably belong to one person, for moderators, without addresses. */
@Injectable()
export class RelatedAccountsService {
  constructor(
    private readonly users: UsersService,
    private readonly directory: UserDirectoryService,
    private readonly credentials: CredentialsService,
    private readonly sessions: SessionsService,
    private readonly networks: AccountNetworksService,
  ) {}

  /** Lists up to 100 accounts with the mailbox, or a network, of an account. @throws CodedError `user_not_found` */
  async list(id: ObjectId): Promise<RelatedAccountDto[]> {
    await this.users.getById(id);
    const networks = await this.sessions.networksOf(id);
    const found: Record<Relation, ObjectId[]> = {
      mailbox: await this.credentials.listSharingMailbox(id, MAX_RELATED),
      network: await this.networks.listSharing(id, networks, MAX_RELATED),
    };
    const reasons = new Map<string, Relation[]>();
    for (const relation of ['mailbox', 'network'] as const)
      for (const other of found[relation].map(String)) reasons.set(other, [...(reasons.get(other) ?? []), relation]);
    const accounts = await this.directory.listByIds([...found.mailbox, ...found.network]);
    return accounts.slice(0, MAX_RELATED).map((account) => ({ account, reasons: reasons.get(account.id)! }));
  }
}
