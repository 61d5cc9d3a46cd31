import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { canonicalAddress, mailboxOf } from '../common/canonical-address.js';
import { CodedError } from '../common/errors.js';
import { EmailVerification } from '../platform/access/verified-email.js';
import { isDuplicateKey } from '../platform/mongo/duplicate-key.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { UsersService } from '../users/users.service.js';
import { Credential } from './credential.schema.js';

const ALL_FIELDS = {
  email: 1,
  mailbox: 1,
  bannedUntil: 1,
  emailVerifiedAt: 1,
  heldEmail: 1,
  heldUntil: 1,
  unlinkedProviders: 1,
  passwordHash: 1,
  passwordChangedAt: 1,
  signedInAt: 1,
  importedAt: 1,
  updatedAt: 1,
} as const satisfies Record<Exclude<keyof Credential, '_id'>, 1>;

/** E-mail addresses and password hashes. */
@Injectable()
export class CredentialsService implements OnModuleInit {
  constructor(
    @InjectModel(Credential.name) private readonly credentials: Model<Credential>,
    private readonly users: UsersService,
    private readonly verification: EmailVerification,
  ) {}

  onModuleInit(): void {
    this.verification.register(async (ids) => {
      const among = ids.map((id) => ObjectId.createFromHexString(id));
      return new Set((await this.findVerified(among)).keys());
    });
  }

  async findById(userId: ObjectId, tx?: Transaction): Promise<Credential | null> {
    return findOne(this.credentials, { _id: userId }, ALL_FIELDS, tx === undefined ? {} : { session: tx?.session });
  }

  /** The verified addresses of accounts, by hex id. */
  async findVerified(userIds: readonly ObjectId[], tx?: Transaction): Promise<Map<string, string>> {
    if (userIds.length === 0) return new Map();
    const filter = { _id: { $in: [...userIds] }, emailVerifiedAt: { $type: 'date' } } as const;
    const rows = await findMany(
      this.credentials,
      filter,
      { email: 1 },
      tx === undefined ? {} : { session: tx?.session },
    );
    return new Map(rows.map(({ _id, email }) => [_id.toHexString(), email]));
  }

  /** Returns up to `limit` other accounts with the mailbox of an account. */
  async listSharingMailbox(userId: ObjectId, limit: number): Promise<ObjectId[]> {
    const own = await findOne(this.credentials, { _id: userId }, { mailbox: 1 });
    if (own === null) return [];
    const rows = await findMany(
      this.credentials,
      { mailbox: own.mailbox, _id: { $ne: userId } },
      { _id: 1 },
      { limit },
    );
    return rows.map(({ _id }) => _id);
  }

  async findByEmail(email: string, tx?: Transaction): Promise<Credential | null> {
    return findOne(this.credentials, { email }, ALL_FIELDS, tx === undefined ? {} : { session: tx?.session });
  }

  /** Finds by e-mail, or by current or earlier username. An unknown login takes as many queries, so the response time reveals nothing. */
  async findByLogin(login: string): Promise<Credential | null> {
    const email = canonicalAddress(login);
    if (email !== null || login.includes('@')) return this.findByEmail(email ?? '');
    const user = await this.users.findByUsername(login);
    const row = await this.findById(user?._id ?? new ObjectId());
    return user === null ? null : row;
  }

  /** @throws CodedError `email_taken` */
  async create(row: Credential, tx: Transaction): Promise<void> {
    await this.claimEmail(row.email, row._id, tx, () => this.credentials.insertOne(row, { session: tx.session }));
  }

  /** @throws CodedError `email_taken` */
  async requireUnused(email: string, userId: ObjectId, tx: Transaction): Promise<void> {
    if (await this.isTaken(email, userId, tx)) throw emailTaken();
  }

  /** Whether another account has or reserves the address, or a banned account has its mailbox. */
  async isTaken(email: string, userId: ObjectId, tx?: Transaction): Promise<boolean> {
    const now = new Date();
    const isIts = [
      { email },
      { heldEmail: email, heldUntil: { $gt: now } },
      { mailbox: mailboxOf(email), bannedUntil: { $gt: now } },
    ];
    const filter = { $or: isIts, _id: { $ne: userId } };
    return (
      (await findOne(this.credentials, filter, { _id: 1 }, tx === undefined ? {} : { session: tx?.session })) !== null
    );
  }

  /**
   * Writes and returns the row, so that transactions that change sign-in methods, or delete the account, conflict. Returns null if the
   * account was deleted.
   */
  async lock(userId: ObjectId, tx: Transaction): Promise<Credential | null> {
    const { matchedCount } = await this.credentials.updateOne(
      { _id: userId },
      { $set: { updatedAt: new Date() } },
      { session: tx.session },
    );
    return matchedCount === 0 ? null : findOne(this.credentials, { _id: userId }, ALL_FIELDS, { session: tx.session });
  }

  /** Like `lock`, after a proof. Returns false if the password was changed, or the account deleted, since the row was read. */
  async lockUnchanged(row: Credential, tx: Transaction): Promise<boolean> {
    return this.writeUnchanged(row, { updatedAt: new Date() }, tx);
  }

  /** Replaces the hash unless it has changed since the row was read. */
  async replaceHash(row: Credential, passwordHash: string): Promise<void> {
    const filter = { _id: row._id, passwordHash: row.passwordHash };
    await this.credentials.updateOne(
      filter,
      { $set: { passwordHash, updatedAt: new Date() } },
      { runValidators: true },
    );
  }

  /** Records a sign-in. Returns false if the password was changed, or the account deleted, since the row was read. */
  async recordSignIn(row: Credential, tx: Transaction): Promise<boolean> {
    return this.writeUnchanged(row, { signedInAt: new Date() }, tx);
  }

  /** Returns false if the password was changed, or the account deleted, since the row was read. @param passwordHash null: none matches */
  async changePassword(row: Credential, passwordHash: string | null, tx: Transaction): Promise<boolean> {
    const passwordChangedAt = new Date(Math.max(Date.now(), (row.passwordChangedAt?.getTime() ?? 0) + 1));
    const change = { passwordHash, passwordChangedAt, importedAt: null, updatedAt: passwordChangedAt };
    return this.writeUnchanged(row, change, tx);
  }

  /** Reserves the mailbox of a banned account. Conflicts with a concurrent sign-in, as `lock`. @param until null: not banned */
  async setBannedUntil(userId: ObjectId, until: Date | null, tx: Transaction): Promise<void> {
    await this.write(userId, { bannedUntil: until }, tx);
  }

  async verifyEmail(userId: ObjectId, tx?: Transaction): Promise<void> {
    await this.write(userId, { emailVerifiedAt: new Date() }, tx);
  }

  /** Revokes the tokens of the account's earlier server. */
  async revokeImportedTokens(userId: ObjectId, tx: Transaction): Promise<void> {
    await this.write(userId, { importedAt: null }, tx);
  }

  /**
   * Sets a verified address: the caller has read its mail.
   * @param heldUntil end of the reservation of the previous address; null: not reserved
   * @throws CodedError `email_taken`
   */
  async setEmail(
    { _id, email: before }: Credential,
    email: string,
    heldUntil: Date | null,
    tx: Transaction,
  ): Promise<void> {
    const held = { heldEmail: heldUntil === null ? null : before, heldUntil };
    const change = { email, mailbox: mailboxOf(email), emailVerifiedAt: new Date(), ...held };
    await this.claimEmail(email, _id, tx, () => this.write(_id, change, tx));
  }

  async setLinked(userId: ObjectId, provider: string, isLinked: boolean, tx: Transaction): Promise<void> {
    const change = { unlinkedProviders: provider };
    await this.credentials.updateOne({ _id: userId }, isLinked ? { $pull: change } : { $addToSet: change }, {
      session: tx.session,
    });
  }

  async delete(userId: ObjectId, tx: Transaction): Promise<void> {
    await this.credentials.deleteOne({ _id: userId }, { session: tx.session });
  }

  /** Writes if the password is unchanged since it was read. Concurrent transactions write the same row, so one of two runs again. */
  private async writeUnchanged(
    { _id, passwordChangedAt = null }: Credential,
    change: Partial<Credential>,
    tx: Transaction,
  ): Promise<boolean> {
    const { matchedCount } = await this.credentials.updateOne(
      { _id, passwordChangedAt },
      { $set: change },
      { session: tx.session, runValidators: true },
    );
    return matchedCount === 1;
  }

  /**
   * Refuses an address that another account reserves; the unique index refuses one that another account has. The snapshot of the
   * transaction contains one of the two.
   */
  private async claimEmail(
    email: string,
    userId: ObjectId,
    tx: Transaction,
    write: () => Promise<unknown>,
  ): Promise<void> {
    await this.requireUnused(email, userId, tx);
    try {
      await write();
    } catch (error) {
      if (isDuplicateKey(error)) throw emailTaken(error);
      throw error;
    }
  }

  private async write(_id: ObjectId, change: Partial<Credential>, tx?: Transaction): Promise<void> {
    const options = tx === undefined ? {} : { session: tx?.session };
    await this.credentials.updateOne({ _id }, { $set: { ...change, updatedAt: new Date() } }, options);
  }
}

function emailTaken(cause?: unknown): CodedError {
  return new CodedError('email_taken', 'An account with this e-mail address exists; sign in instead.', {
    fields: [{ field: 'email', message: 'is taken' }],
    cause,
  });
}
