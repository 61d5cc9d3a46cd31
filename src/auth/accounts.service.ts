import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { hasRole, type Role, type Viewer } from '../platform/access/viewer.js';
import { AccountNetworksService } from '../registration/account-networks.service.js';
import { ModerationLogService } from '../moderation/moderation-log.service.js';
import { INLINE_TIMEOUT_MS, TaskRunner } from '../platform/work-queue/task-runner.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { UsersService } from '../users/users.service.js';
import { ACCOUNT_ENDED } from '../users/users.events.js';
import { TOKENS_ENDED } from './auth.events.js';
import { AccountMails } from './account-mails.js';
import { AuthService, wrongPassword } from './auth.service.js';
import type { ClientInfo } from './client-info.js';
import type { Credential } from './credential.schema.js';
import { CredentialsService } from './credentials.service.js';
import type { ChangeRoleBody } from './role.dto.js';
import type { ChangePasswordBody } from './dto/sign-in.dto.js';
import { TokenRevocations } from './token-revocations.js';
import { LongLivedTokens } from './long-lived-tokens.js';
import { PasswordHasher } from './password-hasher.js';
import { OneTimeTokensService } from './one-time-tokens.service.js';
import { SessionsService } from './sessions.service.js';
import { KEPT_TOKENS } from './token-kinds.js';

/** An admin, with the credentials of the proof. */
type ProvenAdmin = { by: Viewer; credential: Credential };

/**
 * Changes the password, role and sessions of an account, or deletes it. When a method resolves, this process rejects the revoked tokens;
 * other processes accept them for at most 1.5 s more (TokenRevocations).
 */
@Injectable()
export class AccountsService {
  constructor(
    private readonly mongo: MongoService,
    private readonly auth: AuthService,
    private readonly accounts: UserAccountsService,
    private readonly users: UsersService,
    private readonly credentials: CredentialsService,
    private readonly passwords: PasswordHasher,
    private readonly sessions: SessionsService,
    private readonly networks: AccountNetworksService,
    private readonly oneTimeTokens: OneTimeTokensService,
    private readonly mails: AccountMails,
    private readonly longLived: LongLivedTokens,
    private readonly ended: TokenRevocations,
    private readonly runner: TaskRunner,
    private readonly log: ModerationLogService,
  ) {}

  /**
   * Ends all other sessions, invalidates the codes and links sent to the account, except an undo of its address, and mails the owner.
   * @throws CodedError `invalid_credentials` for a wrong password, `recent_sign_in_required`
   */
  async changePassword(viewer: Viewer, body: ChangePasswordBody, client: ClientInfo): Promise<void> {
    const credential = await this.auth.requireRecentProof(viewer, 'currentPassword', body.currentPassword, client);
    const passwordHash = await this.passwords.hash(body.newPassword);
    const ended = await this.mongo.serializedTransaction(viewer.id, async (tx) => {
      if (!(await this.credentials.changePassword(credential, passwordHash, tx)))
        throw wrongPassword('currentPassword');
      await this.oneTimeTokens.deleteOthers(credential._id, KEPT_TOKENS, tx);
      await this.mails.send('passwordChanged', credential.email, tx);
      return this.sessions.endOf(credential._id, tx, viewer.signInId);
    });
    this.ended.publish(ended);
  }

  /** Ends every session of the viewer, including the current one. */
  async endSignIns({ _id: userId, signInId }: Viewer): Promise<void> {
    const ended = await this.mongo.transaction(async (tx) => {
      const ids = await this.sessions.endOf(userId, tx);
      await this.credentials.revokeImportedTokens(userId, tx);
      // The last refresh token may have expired before the access token.
      if (signInId === undefined || ids.includes(signInId)) return ids;
      tx.publish(TOKENS_ENDED, [signInId]);
      return [...ids, signInId];
    });
    this.ended.publish(ended);
  }

  /** Ends one session of the viewer. @throws CodedError `session_not_found` */
  async endSignIn(viewer: Viewer, signInId: ObjectId): Promise<void> {
    const ended = await this.mongo.transaction((tx) => this.sessions.endOne(viewer._id, signInId, tx));
    if (ended.length === 0) throw new CodedError('session_not_found', 'Session not found.');
    this.ended.publish(ended);
  }

  /** @throws CodedError `invalid_credentials` for a wrong password, `recent_sign_in_required`, `last_admin` */
  async deleteOwn(viewer: Viewer, password: string | undefined, client: ClientInfo): Promise<void> {
    await this.end((await this.auth.requireRecentProof(viewer, 'password', password, client))._id);
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
      await this.sessions.deleteAll(userId, tx);
      await this.networks.delete(userId, tx);
      await this.oneTimeTokens.deleteOf(userId, tx);
      await this.longLived.revokeOf(userId, tx);
      tx.publish(TOKENS_ENDED, [userId.toHexString()]);
      // A cached list without rows has no tag of its account, so the tags of the lists are needed, too.
      const tags = [`user:${userId.toHexString()}`, 'top-writers', 'feed', 'collections'];
      tx.invalidate(tags);
      return tx.addTask(ACCOUNT_ENDED, userId, { reservedMs: INLINE_TIMEOUT_MS });
    });
    // Revokes first: a request with these tokens could add rows behind the cleanup.
    this.ended.publish([userId.toHexString()]);
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
    const credential = await this.auth.requireRecentProof(by, 'password', password, client);
    await this.setRole(userId, role, { by, credential });
  }

  /**
   * Tokens contain the role, so a lower role ends every session and API token; a higher role is in the next refreshed token.
   * @param admin the admin and the proof; null: the operator
   * @returns the previous role
   * @throws CodedError `user_not_found`, `last_admin`
   */
  async setRole(userId: ObjectId, role: Role, admin: ProvenAdmin | null = null): Promise<Role> {
    const { before, ended } = await this.mongo.transaction(async (tx) => {
      if (admin !== null) await this.requireAdmin(admin, tx);
      if (role !== 'admin') await this.requireOtherAdmin(userId, tx);
      // A concurrent sign-in or new API token writes this row: it is visible here, or runs again with the new role.
      await this.credentials.lock(userId, tx);
      const before = await this.accounts.setRole(userId, role, tx);
      const isLower = !hasRole({ role }, before);
      if (before === role) return { before, ended: [] };
      const detail = `${before} -> ${role}`;
      const by = admin?.by ?? null;
      await this.log.record({ by, kind: 'set_role', targetKind: 'user', targetId: userId, detail }, tx);
      tx.invalidate([`user:${userId.toHexString()}`, 'top-writers']);
      if (!isLower) return { before, ended: [] };
      const ended = await this.sessions.endOf(userId, tx);
      return { before, ended: [...ended, ...(await this.longLived.revokeOf(userId, tx))] };
    });
    this.ended.publish(ended);
    return before;
  }

  private async requireAdmin({ credential }: ProvenAdmin, tx: Transaction): Promise<void> {
    if (!(await this.credentials.lockUnchanged(credential, tx))) throw wrongPassword('password');
    const { role } = await this.users.getById(credential._id, tx);
    if (!hasRole({ role }, 'admin')) throw new CodedError('forbidden', 'This requires the role admin.');
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
