import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { ModerationLogService } from '../moderation/moderation-log.service.js';
import { hasRole, type Role, type Viewer } from '../platform/access/viewer.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { INLINE_TIMEOUT_MS, TaskRunner } from '../platform/work-queue/task-runner.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { ACCOUNT_ENDED } from '../users/users.events.js';
import type { ClientInfo } from './client-info.js';
import type { Credential } from './credential.schema.js';
import { CredentialsService } from './credentials.service.js';
import { OneTimeTokensService } from './one-time-tokens.service.js';
import { PasswordsService, wrongPassword } from './passwords.service.js';
import type { ChangeRoleBody } from './role.dto.js';
import { SessionsService } from './sessions.service.js';
import { TokenRevocations } from './token-revocations.js';

type ProvenAdmin = { by: Viewer; credential: Credential };

/** Changes the role of an account, or deletes it. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly mongo: MongoService,
    private readonly passwords: PasswordsService,
    private readonly accounts: UserAccountsService,
    private readonly credentials: CredentialsService,
    private readonly sessions: SessionsService,
    private readonly oneTimeTokens: OneTimeTokensService,
    private readonly revocations: TokenRevocations,
    private readonly runner: TaskRunner,
    private readonly log: ModerationLogService,
  ) {}

  /** @throws CodedError `invalid_credentials` for a wrong password, `recent_sign_in_required`, `last_admin` */
  async deleteOwn(viewer: Viewer, password: string | undefined, client: ClientInfo): Promise<void> {
    await this.end((await this.passwords.requireRecentProof(viewer, 'password', password, client))._id);
  }

  /**
   * Marks the account as deleted, deletes its credentials and sessions, and adds a task for its posts, comments, votes and follows, in one
   * commit. Reads then return none of them, unless the task takes longer than INLINE_TIMEOUT_MS and the jobs process continues it.
   * @throws CodedError `user_not_found`, `last_admin`
   */
  async end(userId: ObjectId): Promise<void> {
    const task = await this.mongo.transaction(async (tx) => {
      await this.requireOtherAdmin(userId, tx);
      await this.accounts.end(userId, tx);
      await this.credentials.delete(userId, tx);
      await this.oneTimeTokens.deleteOf(userId, tx);
      // Takes effect before the task: a request with these tokens could add rows behind the cleanup.
      this.revocations.revoke([userId.toHexString()], tx);
      await this.revocations.revokeOf(userId, tx);
      await this.sessions.deleteAll(userId, tx);
      // A cached list without rows has no tag of its account, so the tags of the lists are needed, too.
      const tags = [`user:${userId.toHexString()}`, 'top-writers', 'feed', 'collections'];
      tx.invalidate(tags);
      return tx.addTask(ACCOUNT_ENDED, userId, { reservedMs: INLINE_TIMEOUT_MS });
    });
    await this.runner.runInline(task);
  }

  /**
   * Sets the role of an account, if `by` is still an admin at the commit.
   * @throws CodedError `forbidden`, `user_not_found`, `last_admin`, and as `requireRecentProof`
   */
  async changeRole(
    by: Viewer,
    userId: ObjectId,
    { role, password }: ChangeRoleBody,
    client: ClientInfo,
  ): Promise<void> {
    const credential = await this.passwords.requireRecentProof(by, 'password', password, client);
    await this.setRole(userId, role, { by, credential });
  }

  /**
   * Tokens contain the role, so a lower role ends every session and API token; a higher role is in the next refreshed token.
   * @param admin the admin and the proof; null: the operator
   * @returns the previous role
   * @throws CodedError `user_not_found`, `last_admin`
   */
  async setRole(userId: ObjectId, role: Role, admin: ProvenAdmin | null = null): Promise<Role> {
    return this.mongo.transaction(async (tx) => {
      if (admin !== null) await this.requireAdmin(admin, tx);
      if (role !== 'admin') await this.requireOtherAdmin(userId, tx);
      // A concurrent sign-in or new API token writes this row: it is visible here, or runs again with the new role.
      await this.credentials.lock(userId, tx);
      const before = await this.accounts.setRole(userId, role, tx);
      if (before === role) return before;
      const detail = `${before} -> ${role}`;
      const by = admin?.by ?? null;
      await this.log.record({ by, kind: 'set_role', targetKind: 'user', targetId: userId, detail }, tx);
      tx.invalidate([`user:${userId.toHexString()}`, 'top-writers']);
      if (!hasRole({ role }, before)) await this.revocations.revokeOf(userId, tx);
      return before;
    });
  }

  private async requireAdmin({ credential }: ProvenAdmin, tx: Transaction): Promise<void> {
    if (!(await this.credentials.lockUnchanged(credential, tx))) throw wrongPassword('password');
    if (!(await this.accounts.adminIds(tx)).some((id) => id.equals(credential._id)))
      throw new CodedError('forbidden', 'This requires the role admin.');
  }

  /** Writes the credentials of all admins, so that two concurrent demotions conflict and one of them runs again. */
  private async requireOtherAdmin(userId: ObjectId, tx: Transaction): Promise<void> {
    const admins = await this.accounts.adminIds(tx);
    if (!admins.some((id) => id.equals(userId))) return;
    let others = 0;
    for (const id of admins)
      // without credentials an account cannot sign in
      if ((await this.credentials.lock(id, tx)) !== null && !id.equals(userId)) others += 1;
    if (others === 0) throw new CodedError('last_admin', 'Give another account the role first.');
  }
}
