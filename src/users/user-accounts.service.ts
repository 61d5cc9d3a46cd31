import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model, QueryFilter } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { EmailVerification } from '../platform/access/verified-email.js';
import { type Role, ROLES } from '../platform/access/viewer.js';
import { isDuplicateKey } from '../platform/mongo/duplicate-key.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { TextChecksService } from '../rules/text-checks.service.js';
import type { Verdict } from '../rules/verdict.js';
import { type NewUser, newUserRow, STAFF_BY_TIME, User } from './user.schema.js';
import type { Actor } from './actor.js';
import { type Standing, standingAt } from './standing.js';
import { ACCOUNT_CREATED, STANDING_CHANGED } from './users.events.js';

/** enough to find one that may write */
const MAX_READ_STAFF = 100;

/** Creates and deletes accounts, and enforces unique usernames, inside the transactions of auth and of profile changes. */
@Injectable()
export class UserAccountsService {
  constructor(
    private readonly verification: EmailVerification,
    private readonly checks: TextChecksService,
    @InjectModel(User.name) private readonly users: Model<User>,
  ) {}

  /** @throws CodedError `username_taken` also for a name that another account had before, `content_rejected` */
  async create(user: NewUser, tx: Transaction): Promise<User> {
    const content = { scope: 'profile', authorId: user._id, targetId: user._id } as const;
    const verdict = await this.checkNames(user);
    await this.requireFreeUsername(user.username, user._id, tx);
    const row = newUserRow(user, new Date());
    await translateDuplicateName(user.username, () => this.users.insertOne(row, { session: tx.session }));
    if (verdict !== null) await this.checks.apply(verdict, content, tx);
    await tx.runHooks(ACCOUNT_CREATED, row);
    return row;
  }

  /**
   * Marks the account as deleted and deletes its personal data: no read returns the account after the commit. The name stays reserved, and
   * the counters stay until the rows behind them are deleted.
   * @throws CodedError `user_not_found` for a deleted account
   */
  async end(userId: ObjectId, tx: Transaction): Promise<void> {
    const profile = { bio: '', headline: '', location: '', interests: [], links: [], profilePicture: null };
    const traces = { fullName: 'Deleted account', featuredPostIds: [], ...profile };
    const { matchedCount } = await this.users.updateOne(
      { _id: userId, deletedAt: null },
      {
        $set: { ...traces, role: 'user', settings: { language: 'en' } },
        // Uses the clock of the database, because other hosts query recently deleted accounts.
        $currentDate: { updatedAt: true, deletedAt: true },
        $inc: { snapshotVersion: 1 },
      },
      { session: tx.session, runValidators: true },
    );
    if (matchedCount === 0) throw new CodedError('user_not_found', 'The account was deleted.');
  }

  /** Returns what the rules for texts demand for the names of an account. @throws CodedError `content_rejected` */
  private checkNames({ _id, username, fullName }: NewUser): Promise<Verdict | null> {
    const texts = Object.entries({ username, fullName }).map(([field, text]) => ({ field, text }));
    return this.checks.check({ scope: 'profile', authorId: _id }, texts);
  }

  /** @throws CodedError `username_taken` also for names of deleted accounts, and earlier ones, `content_rejected` */
  async requireUsable(user: NewUser, tx: Transaction): Promise<void> {
    await this.checkNames(user);
    const { username } = user;
    const earlier = { previousUsernames: username, 'previousUsernames.0': { $exists: true } };
    for (const filter of [{ username }, earlier])
      if ((await findOne(this.users, filter, { _id: 1 }, { session: tx.session })) !== null)
        throw usernameTaken(username);
  }

  /** The account that a task, job or message acts for, as it is now; null if it was deleted. */
  async actor(userId: ObjectId): Promise<Actor | null> {
    const id = userId.toHexString();
    return (await this.actors([id])).get(id) ?? null;
  }

  /** As `actor`, for many hex ids. */
  async actors(ids: readonly string[]): Promise<Map<string, Actor>> {
    const among = { _id: { $in: ids.map((id) => ObjectId.createFromHexString(id)) }, deletedAt: null };
    const [rows, verified] = await Promise.all([
      findMany(this.users, among, { role: 1, standing: 1 }),
      this.verification.findVerified(ids),
    ]);
    const now = Date.now();
    return new Map(
      rows.map(({ _id, role, standing }) => {
        const id = _id.toHexString();
        return [id, { _id, id, role, standing: standingAt(standing, now), isEmailVerified: verified.has(id) }];
      }),
    );
  }

  /** @returns the previous role. @throws CodedError `user_not_found` */
  async setRole(userId: ObjectId, role: Role, tx: Transaction): Promise<Role> {
    const before = await this.users
      .findOneAndUpdate(
        { _id: userId, deletedAt: null },
        { $set: { role, updatedAt: new Date() } },
        { session: tx.session, projection: { role: 1 }, returnDocument: 'before', runValidators: true },
      )
      .lean<Pick<User, 'role'> | null>()
      .exec();
    if (before === null) throw new CodedError('user_not_found', 'The account was deleted.');
    return before.role;
  }

  /** @param standing null: good. @throws CodedError `user_not_found` */
  async setStanding(userId: ObjectId, standing: Standing | null, tx: Transaction): Promise<void> {
    const { matchedCount } = await this.users
      .updateOne({ _id: userId, deletedAt: null }, { $set: { standing } }, { session: tx.session, runValidators: true })
      .exec();
    if (matchedCount === 0) throw new CodedError('user_not_found', 'The account was deleted.');
    tx.addTask(STANDING_CHANGED, userId);
    if (standing?.until) tx.addTask(STANDING_CHANGED, userId, { runAt: standing.until });
    tx.invalidate([`user:${userId.toHexString()}`]);
  }

  /** Whether the site has an account, or had one. */
  async exists(): Promise<boolean> {
    return (await findOne(this.users, {}, { _id: 1 }, { hint: { _id: 1 } })) !== null;
  }

  async adminIds(tx: Transaction): Promise<ObjectId[]> {
    const rows = await findMany(this.users, { role: 'admin', deletedAt: null }, { _id: 1 }, { session: tx.session });
    return rows.map(({ _id }) => _id);
  }

  /** The ids of moderators and admins, latest first. */
  async staffIds(limit: number, tx: Transaction): Promise<ObjectId[]> {
    const staff = { role: { $in: ['moderator', 'admin'] }, deletedAt: null } satisfies QueryFilter<User>;
    const rows = await findMany(this.users, staff, { _id: 1 }, { session: tx.session, limit, hint: STAFF_BY_TIME });
    return rows.map(({ _id }) => _id);
  }

  /** Whether a moderator other than `by` could act on the account. */
  async canAnotherDecide(by: Pick<User, '_id'>, userId: ObjectId, tx: Transaction): Promise<boolean> {
    const own = { _id: userId, deletedAt: null };
    const row = await findOne(this.users, own, { role: 1 }, { session: tx.session });
    return this.hasOtherAbove(row?.role ?? 'user', by._id, tx);
  }

  /** Whether another account with a higher role than `role` may write now. */
  async hasOtherAbove(role: Role, exceptId: ObjectId, tx: Transaction): Promise<boolean> {
    const above = { role: { $in: ROLES.slice(ROLES.indexOf(role) + 1) }, deletedAt: null };
    const rows = await findMany(this.users, above, { standing: 1 }, { session: tx.session, limit: MAX_READ_STAFF });
    const now = Date.now();
    return rows.some(({ _id, standing }) => {
      return !_id.equals(exceptId) && (standingAt(standing, now)?.level ?? 'limited') === 'limited';
    });
  }

  /** Ids of accounts that were deleted in the last `ms`, by the clock of the database. */
  async endedWithin(ms: number): Promise<string[]> {
    const isRecent = { $gte: ['$deletedAt', { $subtract: ['$$NOW', ms] }] };
    // $type lets the server use the partial index.
    const rows = await findMany(this.users, { deletedAt: { $type: 'date' }, $expr: isRecent }, { _id: 1 });
    return rows.map(({ _id }) => _id.toHexString());
  }

  /**
   * Refuses an earlier name of another account; the unique index refuses a current one. Runs in the transaction that writes the name: its
   * snapshot contains one of the two.
   */
  async requireFreeUsername(username: string, userId: ObjectId, tx: Transaction): Promise<void> {
    const filter = { previousUsernames: username, 'previousUsernames.0': { $exists: true } };
    const owner = await findOne(this.users, filter, { _id: 1 }, { session: tx.session });
    if (owner !== null && !owner._id.equals(userId)) throw usernameTaken(username);
  }
}

/** @throws CodedError `username_taken` instead of the error of the unique index */
export async function translateDuplicateName<T>(username: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isDuplicateKey(error)) throw usernameTaken(username, error);
    throw error;
  }
}

function usernameTaken(username: string, cause?: unknown): CodedError {
  return new CodedError('username_taken', `The username ${username} is taken.`, {
    fields: [{ field: 'username', message: 'is taken' }],
    cause,
  });
}
