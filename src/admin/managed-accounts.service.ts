import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { CredentialsService } from '../auth/credentials.service.js';
import { CodedError } from '../common/errors.js';
import { ModerationLogService } from '../moderation/moderation-log.service.js';
import { hasRole, type Viewer } from '../platform/access/viewer.js';
import type { Page } from '../platform/http/pagination/page.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { type ListedAccountDto, toListedAccount } from '../users/user.dto.js';
import { UserDirectoryService } from '../users/user-directory.service.js';
import { UsersService } from '../users/users.service.js';
import type { ManagedAccountDto, ManagedAccountsQuery } from './dto/managed-account.dto.js';

/** Accounts with the fields that moderators and admins may see. */
@Injectable()
export class ManagedAccountsService {
  constructor(
    private readonly mongo: MongoService,
    private readonly users: UsersService,
    private readonly directory: UserDirectoryService,
    private readonly credentials: CredentialsService,
    private readonly log: ModerationLogService,
  ) {}

  /** @throws CodedError `invalid_input` when `q` has a sort order other than `username`, or `standing` has `q`, `role` or `username` */
  async list({ q, role, standing, limit, cursor, ...query }: ManagedAccountsQuery): Promise<Page<ListedAccountDto>> {
    const sort = query.sort ?? (q === undefined ? 'newest' : 'username');
    if (standing !== undefined && (q !== undefined || role !== undefined || sort === 'username'))
      throw unsupported('standing', 'must not be combined with q, role or sort=username');
    if (q !== undefined && sort !== 'username') throw unsupported('sort', 'must be username where q is given');
    return this.directory.list({ sort, prefix: q ?? '', role, standing, limit, cursor });
  }

  /**
   * Returns one account. Admins get its e-mail address on request, which the log records for the address of another account.
   * @throws CodedError `user_not_found`, `forbidden` for a moderator who requests the address
   */
  async get(viewer: Viewer, id: ObjectId, withEmail: boolean): Promise<ManagedAccountDto> {
    if (withEmail && !hasRole(viewer, 'admin')) throw new CodedError('forbidden', 'Only admins can read addresses.');
    const [user, credential] = await Promise.all([this.users.getById(id), this.credentials.findById(id)]);
    const email = withEmail ? (credential?.email ?? null) : null;
    const entry = { by: viewer, kind: 'read_email', targetKind: 'user', targetId: id } as const;
    if (email !== null && viewer.id !== id.toHexString())
      await this.mongo.transaction((tx) => this.log.record(entry, tx));
    return {
      ...toListedAccount(user),
      previousUsernames: user.previousUsernames,
      email,
      isEmailVerified: credential?.emailVerifiedAt instanceof Date,
      lastSignInAt: credential?.signedInAt ?? null,
    };
  }
}

function unsupported(field: string, message: string): CodedError {
  return new CodedError('invalid_input', `${field} ${message}.`, { fields: [{ field, message }] });
}
