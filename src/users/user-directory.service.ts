import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import type { CursorPosition } from '../common/cursor.js';
import type { Role } from '../platform/access/viewer.js';
import type { Page } from '../platform/http/pagination/page.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import { type ListedAccountDto, toListedAccount } from './user.dto.js';
import type { StandingLevel } from './standing.js';
import { RESTRICTED, STAFF_BY_NAME, STAFF_BY_TIME, User } from './user.schema.js';

export const DIRECTORY_SORTS = ['username', 'newest', 'oldest'] as const;
export type DirectorySort = (typeof DIRECTORY_SORTS)[number];

/** `prefix`: start of the current username, in lower case; only with the sort `username` */
export type DirectoryQuery = {
  sort: DirectorySort;
  prefix: string;
  role?: Role | undefined;
  /** only with the sorts by time, and without a role */
  standing?: StandingLevel | undefined;
  limit: number;
  cursor?: string | undefined;
};

const FIELDS = {
  username: 1,
  fullName: 1,
  bio: 1,
  profilePicture: 1,
  role: 1,
  stats: 1,
  featuredPostIds: 1,
  createdAt: 1,
  standing: 1,
} as const;
type ListedRow = Pick<User, '_id' | keyof typeof FIELDS>;
const ORDERS: Record<DirectorySort, Record<string, 1 | -1>> = {
  username: { username: 1 },
  newest: { _id: -1 },
  oldest: { _id: 1 },
};
/** the first character after all characters of usernames */
const AFTER_NAMES = '{';

/** Lists all existing accounts for moderators, page by page. */
@Injectable()
export class UserDirectoryService {
  constructor(
    private readonly paginator: Paginator,
    @InjectModel(User.name) private readonly users: Model<User>,
  ) {}

  /** Reads one range of an index. With the role `user`, the read skips moderators and admins. */
  list({ sort, prefix, role, standing, ...query }: DirectoryQuery): Promise<Page<ListedAccountDto>> {
    const restricted = standing === undefined ? {} : { 'standing.level': standing };
    const filter = { ...(role === undefined ? {} : { role }), ...restricted, deletedAt: null };
    const isStaff = role === 'moderator' || role === 'admin';
    const staff = isStaff ? { hint: sort === 'username' ? STAFF_BY_NAME : STAFF_BY_TIME } : {};
    const index = standing === undefined ? staff : { hint: RESTRICTED };
    return this.paginator.list<ListedRow, ListedAccountDto>({
      query,
      scope: `directory:${sort}:${role ?? ''}:${standing ?? ''}:${prefix}`,
      positionOf: ({ _id, username }) => ({ id: _id.toHexString(), key: sort === 'username' ? username : '' }),
      read: (after, limit) => {
        const range = sort === 'username' ? namesAfter(prefix, after) : idsAfter(sort, after);
        return findMany(this.users, { ...range, ...filter }, FIELDS, { sort: ORDERS[sort], limit, ...index });
      },
      resolve: async (rows) => rows.map(toListedAccount),
    });
  }

  /** Returns the accounts with these ids that exist, latest first. */
  async listByIds(ids: readonly ObjectId[]): Promise<ListedAccountDto[]> {
    const rows = await findMany(this.users, { _id: { $in: [...ids] }, deletedAt: null }, FIELDS, { sort: { _id: -1 } });
    return rows.map(toListedAccount);
  }
}

function namesAfter(prefix: string, after: CursorPosition | null) {
  const from = after === null ? { $gte: prefix } : { $gt: after.key ?? '' };
  return { username: { ...from, $lt: prefix + AFTER_NAMES } };
}

function idsAfter(sort: 'newest' | 'oldest', after: CursorPosition | null) {
  if (after === null) return {};
  const id = new ObjectId(after.id);
  return { _id: sort === 'oldest' ? { $gt: id } : { $lt: id } };
}
