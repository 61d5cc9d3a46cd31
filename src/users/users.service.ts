import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model, QueryFilter, UpdateQuery } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { findMany, findOne, type ReadOptions } from '../platform/mongo/lean-reads.js';
import type { LookupRange } from '../platform/mongo/raw-read.js';
import { type ReadTarget, SecondaryReads } from '../platform/mongo/secondary-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { type AuthorJson, type AuthorSnapshot, toAuthor } from './author-snapshot.js';
import { MAX_FEATURED, User, USERS, type UserStats } from './user.schema.js';
import { userStatements } from './user-stats.js';
import { isLimited } from './standing.js';
import { isUsername } from './username.js';

const FIELDS = {
  username: 1,
  previousUsernames: 1,
  fullName: 1,
  bio: 1,
  headline: 1,
  location: 1,
  interests: 1,
  links: 1,
  profilePicture: 1,
  role: 1,
  stats: 1,
  likesPerPost: 1,
  likesTier: 1,
  featuredPostIds: 1,
  collectionsCount: 1,
  lastBlockId: 1,
  standing: 1,
  settings: 1,
  snapshotVersion: 1,
  createdAt: 1,
  updatedAt: 1,
  deletedAt: 1,
} as const satisfies Record<Exclude<keyof User, '_id'>, 1>;

export const HAS_PUBLISHED = { deletedAt: null, 'stats.postsCount': { $gt: 0 } } satisfies QueryFilter<User>;
const personalised = (_id: ObjectId) =>
  ({ _id, deletedAt: null, 'settings.personalised': { $ne: false } }) satisfies QueryFilter<User>;
/** index of all reads of top writers */
export const BY_TIER = { likesTier: -1, _id: -1 } as const;
const SNAPSHOT_FIELDS = { username: 1, fullName: 1, profilePicture: 1 } as const;

/** Reads existing accounts and moves their counters. */
@Injectable()
export class UsersService {
  constructor(
    private readonly reads: SecondaryReads,
    @InjectModel(User.name) private readonly users: Model<User>,
  ) {}

  async findById(id: ObjectId, tx?: Transaction): Promise<User | null> {
    return findOne(this.users, { _id: id, deletedAt: null }, FIELDS, { session: tx?.session });
  }

  /** @throws CodedError `user_not_found` */
  async getById(id: ObjectId, tx?: Transaction): Promise<User> {
    return (await this.findById(id, tx)) ?? notFound();
  }

  async isPersonalised(id: ObjectId, { session }: Transaction): Promise<boolean> {
    return (await findOne(this.users, personalised(id), { _id: 1 }, { session })) !== null;
  }

  /** Finds by the current name, or else by an earlier one, in any case. */
  findByUsername(username: string, tx?: Transaction): Promise<User | null> {
    return this.findByName(username, { session: tx?.session });
  }

  private async findByName(username: string, options?: ReadOptions): Promise<User | null> {
    const name = username.toLowerCase();
    if (!isUsername(name)) return null;
    // The second condition lets the server use the partial index.
    const earlier = { previousUsernames: name, 'previousUsernames.0': { $exists: true } };
    const row =
      (await findOne(this.users, { username: name }, FIELDS, options)) ??
      (await findOne(this.users, earlier, FIELDS, options));
    return row?.deletedAt === null ? row : null;
  }

  /** Returns the existing accounts with one of these current or earlier names, by all of their names. @param names in lower case */
  async findByNames(names: readonly string[]): Promise<Map<string, Pick<User, '_id' | 'username'>>> {
    const among = { $in: [...names] };
    const earlier = { previousUsernames: among, 'previousUsernames.0': { $exists: true } };
    const filter = { $or: [{ username: among }, earlier], deletedAt: null };
    const rows = await findMany(this.users, filter, { username: 1, previousUsernames: 1 });
    return new Map(rows.flatMap((row) => [row.username, ...row.previousUsernames].map((name) => [name, row] as const)));
  }

  /** @throws CodedError `user_not_found` */
  async getByUsername(username: string, tx?: Transaction): Promise<User> {
    return (await this.findByUsername(username, tx)) ?? notFound();
  }

  /** Like `getByUsername`, for public data only: a secondary may serve the read. @throws CodedError `user_not_found` */
  async getProfile(username: string): Promise<User> {
    return (await this.reads.run('profile', (target) => this.findByName(username, target))) ?? notFound();
  }

  /** Returns the existing accounts among `ids`, in no order, with only the fields that a batch needs. */
  async findParts<Field extends keyof User>(
    ids: readonly ObjectId[],
    fields: readonly Field[],
    tx: Transaction,
  ): Promise<Pick<User, Field | '_id'>[]> {
    if (ids.length === 0) return [];
    const filter = { _id: { $in: [...ids] }, deletedAt: null };
    const projection = Object.fromEntries(fields.map((field) => [field, 1]));
    return tx.find<Pick<User, Field | '_id'>>(this.users.collection, filter, projection, ids.length);
  }

  /** Returns the existing accounts among `ids`, in the order of `ids`. */
  async findUsers(ids: readonly ObjectId[]): Promise<User[]> {
    if (ids.length === 0) return [];
    const filter = { _id: { $in: [...ids] }, deletedAt: null };
    const found = await findMany(this.users, filter, FIELDS);
    const byId = new Map(found.map((row) => [row._id.toHexString(), row]));
    return ids.flatMap((id) => byId.get(id.toHexString()) ?? []);
  }

  /** Returns the existing accounts among `ids` as authors of list items, by hex id. */
  async findAuthors(ids: readonly ObjectId[]): Promise<Map<string, AuthorJson>> {
    return new Map((await this.findNames(ids)).map((row) => [row._id.toHexString(), toAuthor(row._id, row)]));
  }

  /** As `findAuthors`, without accounts that lists of others omit. */
  async findListedAuthors(ids: readonly ObjectId[]): Promise<Map<string, AuthorJson>> {
    const rows = (await this.findNames(ids)).filter(({ standing }) => !isLimited(standing));
    return new Map(rows.map((row) => [row._id.toHexString(), toAuthor(row._id, row)]));
  }

  private async findNames(ids: readonly ObjectId[]): Promise<Pick<User, '_id' | keyof AuthorSnapshot | 'standing'>[]> {
    if (ids.length === 0) return [];
    const filter = { _id: { $in: [...ids] }, deletedAt: null };
    return findMany(this.users, filter, { ...SNAPSHOT_FIELDS, standing: 1 });
  }

  /** @throws CodedError `user_not_found` */
  async getSnapshot(userId: ObjectId, tx?: Transaction): Promise<AuthorSnapshot> {
    return (await this.getAuthor(userId, tx)).snapshot;
  }

  /** @throws CodedError `user_not_found` */
  async getAuthor(userId: ObjectId, tx?: Transaction): Promise<{ snapshot: AuthorSnapshot; isLimited: boolean }> {
    const fields = { ...SNAPSHOT_FIELDS, standing: 1 } as const;
    const row = await findOne(this.users, { _id: userId, deletedAt: null }, fields, { session: tx?.session });
    if (row === null) return notFound();
    const { username, fullName, profilePicture, standing } = row;
    return { snapshot: { username, fullName, profilePicture }, isLimited: isLimited(standing) };
  }

  /**
   * Returns the writers with the most likes per post. Lower tiers have no better ones, so a second read sorts only the tiers of the first
   * `limit` writers. Tier 0 needs no second read, because all of its writers are equal.
   */
  top(limit: number): Promise<User[]> {
    return this.reads.run('profile', (target) => this.topAt(target, limit));
  }

  private async topAt(target: ReadTarget | undefined, limit: number): Promise<User[]> {
    const highest = await findMany(this.users, HAS_PUBLISHED, FIELDS, { ...target, sort: BY_TIER, limit });
    const tier = highest.at(-1)?.likesTier ?? 0;
    // The list is complete, or lacks only equals. The index has the newer of two equals first.
    if (highest.length < limit || tier === 0) return highest.sort((a, b) => b.likesPerPost - a.likesPerPost);
    const best = await this.best(target, { ...HAS_PUBLISHED, likesTier: { $gte: tier } }, limit);
    // A writer fell below the tier between the two reads.
    return best.length < limit ? this.topAt(target, limit) : best;
  }

  private best(target: ReadTarget | undefined, filter: QueryFilter<User>, limit: number): Promise<User[]> {
    return findMany(this.users, filter, FIELDS, { ...target, sort: { likesPerPost: -1, _id: -1 }, limit });
  }

  /** Adds differences (by hex user id) to counters, and updates likes per post, in one round trip of the caller's transaction. */
  async applyStats(changes: ReadonlyMap<string, Partial<UserStats>>, tx: Transaction): Promise<void> {
    await tx.update(this.users.collection, userStatements(changes));
  }

  /**
   * Changes the number of an account's collections, so that concurrent creations conflict. Returns null for a deleted account.
   * @returns the new count, and the owner's snapshot for a collection
   */
  async moveCollectionsCount(
    userId: ObjectId,
    difference: 1 | -1,
    tx: Transaction,
  ): Promise<{ collectionsCount: number; snapshot: AuthorSnapshot; isLimited: boolean } | null> {
    const projection = { ...SNAPSHOT_FIELDS, collectionsCount: 1, standing: 1 } as const;
    const row = await this.users
      .findOneAndUpdate(
        { _id: userId, deletedAt: null },
        { $inc: { collectionsCount: difference } },
        { returnDocument: 'after', projection, session: tx.session },
      )
      .lean<(AuthorSnapshot & Pick<User, 'collectionsCount' | 'standing'>) | null>()
      .exec();
    if (row === null) return null;
    const { username, fullName, profilePicture, collectionsCount, standing } = row;
    return { collectionsCount, snapshot: { username, fullName, profilePicture }, isLimited: isLimited(standing) };
  }

  /**
   * Marks both accounts of a new block. A batch looks for blocks only of marked accounts, and a concurrent follow conflicts here.
   * @returns whether both accounts exist
   */
  async markBlock(ids: readonly [ObjectId, ObjectId], lastBlockId: ObjectId, tx: Transaction): Promise<boolean> {
    const filter = { _id: { $in: [...ids] }, deletedAt: null };
    const { matchedCount } = await this.users.updateMany(filter, { $set: { lastBlockId } }, { session: tx.session });
    return matchedCount === 2;
  }

  async featuredIds(userId: ObjectId, tx?: Transaction): Promise<ObjectId[]> {
    return (await this.getById(userId, tx)).featuredPostIds;
  }

  /**
   * Features a post on the profile; a featured post stays in its place. Invalidate `user:<id>` after the commit.
   * @throws CodedError `too_many_featured` for the ninth
   */
  async addFeatured(userId: ObjectId, postId: ObjectId, tx?: Transaction): Promise<ObjectId[]> {
    const hasCapacity = {
      featuredPostIds: { $ne: postId },
      [`featuredPostIds.${MAX_FEATURED - 1}`]: { $exists: false },
    };
    const row = await this.changeFeatured(
      { _id: userId, deletedAt: null, ...hasCapacity },
      { $push: { featuredPostIds: postId } },
      tx,
    );
    if (row !== null) return row.featuredPostIds;
    const ids = await this.featuredIds(userId, tx);
    if (ids.some((id) => id.equals(postId))) return ids;
    throw new CodedError('too_many_featured', `A profile features at most ${MAX_FEATURED} posts. Remove one first.`);
  }

  /** Removes a post from the profile, also of a deleted account. Invalidate `user:<id>` after the commit. */
  async removeFeatured(userId: ObjectId, postId: ObjectId, tx?: Transaction): Promise<ObjectId[]> {
    const filter = { _id: userId, featuredPostIds: postId };
    const row = await this.changeFeatured(filter, { $pull: { featuredPostIds: postId } }, tx);
    return row?.featuredPostIds ?? (await this.findById(userId, tx))?.featuredPostIds ?? [];
  }

  private changeFeatured(
    filter: QueryFilter<User>,
    change: UpdateQuery<User>,
    tx: Transaction | undefined,
  ): Promise<Pick<User, 'featuredPostIds'> | null> {
    const options = { returnDocument: 'after', projection: { featuredPostIds: 1 }, session: tx?.session } as const;
    return this.users
      .findOneAndUpdate(filter, { ...change, $set: { updatedAt: new Date() } }, options)
      .lean()
      .exec();
  }
}

/** The account, without fields, if it wants lists that are made for it. */
export function personalisedAccount(_id: ObjectId): LookupRange {
  return { from: USERS, pipeline: [{ $match: personalised(_id) }, { $project: { _id: 1 } }] };
}

function notFound(): never {
  throw new CodedError('user_not_found', 'Account not found.');
}
