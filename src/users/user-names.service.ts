import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { findMany } from '../platform/mongo/lean-reads.js';
import { readRows } from '../platform/mongo/readable-rows.js';
import { standingAt } from './standing.js';
import { User } from './user.schema.js';

/** An account for the search index. */
export type UserName = { id: string; username: string; fullName: string; headline: string; followersCount: number };

const FIELDS = { username: 1, fullName: 1, headline: 1, 'stats.followersCount': 1, standing: 1 } as const;

/** Reads names and headlines of existing accounts in good standing for the search index. */
@Injectable()
export class UserNamesService {
  constructor(@InjectModel(User.name) private readonly users: Model<User>) {}

  /** Returns the accounts among the ids, in no order. */
  async find(ids: readonly string[]): Promise<UserName[]> {
    const among = { $in: ids.map((id) => ObjectId.createFromHexString(id)) };
    return toNames(await findMany(this.users, { _id: among, deletedAt: null }, FIELDS));
  }

  /** Returns the next accounts by id; `lastId` is null at the end. */
  async after(id: string | null, limit: number): Promise<{ names: UserName[]; lastId: string | null }> {
    const range = id === null ? {} : { _id: { $gt: ObjectId.createFromHexString(id) } };
    const rows = await findMany(this.users, { ...range, deletedAt: null }, FIELDS, { sort: { _id: 1 }, limit });
    const lastId = rows.length < limit ? null : rows.at(-1)!._id.toHexString();
    return { names: toNames(rows), lastId };
  }

  /** Returns an estimate, because the rows of deleted accounts stay. */
  count(): Promise<number> {
    return this.users.estimatedDocumentCount().exec();
  }
}

type NameRow = Pick<User, '_id' | 'username' | 'fullName' | 'headline' | 'stats' | 'standing'>;

function toNames(rows: NameRow[]): UserName[] {
  return readRows('search: accounts', rows, ({ _id }) => _id, toName).flat();
}

function toName(row: NameRow): UserName[] {
  const { username, fullName, headline, stats, standing } = row;
  if (standingAt(standing, Date.now()) !== null) return [];
  return [{ id: row._id.toHexString(), username, fullName, headline, followersCount: stats.followersCount }];
}
