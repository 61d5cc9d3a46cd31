import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ClientSession, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { ResponseCache } from '../platform/cache/response-cache.js';
import { Outbox } from '../platform/outbox/outbox.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { UpdateProfile } from './dto/update-profile.dto.js';
import type { UserRow } from './user-row.js';
import { USER_MODEL } from './user.schema.js';
import { isReservedUsername } from './reserved-names.js';
import { translateTaken, UserAccountsService } from './user-accounts.service.js';
import { UsersService } from './users.service.js';
import { AUTHOR_CHANGED } from './users.topics.js';

/** Every name stays taken for good, so one account may not use up many. */
const MAX_PREVIOUS_USERNAMES = 10;

/** What an account changes about itself. */
@Injectable()
export class ProfileService {
  constructor(
    private readonly mongo: MongoService,
    private readonly reads: UsersService,
    private readonly accounts: UserAccountsService,
    private readonly outbox: Outbox,
    private readonly cache: ResponseCache,
    @InjectModel(USER_MODEL) private readonly users: Model<UserRow>,
  ) {}

  /**
   * Changes the given fields. What posts and comments show of their author follows in the background: the outbox row that takes
   * it there commits with the change.
   * @throws CodedError `username_taken`, `username_limit`, `user_not_found`
   */
  async update(userId: ObjectId, changes: UpdateProfile): Promise<UserRow> {
    return this.mongo.transaction((session) => this.write(userId, changes, session));
  }

  private async write(userId: ObjectId, changes: UpdateProfile, session: ClientSession): Promise<UserRow> {
    const row = await this.reads.getById(userId, session);
    const { username, fullName, bio, profilePicture, settings } = changes;
    const next: UserRow = {
      ...row,
      username: username ?? row.username,
      fullName: fullName ?? row.fullName,
      bio: bio ?? row.bio,
      profilePicture: profilePicture === undefined ? row.profilePicture : profilePicture,
      settings: { language: settings?.language ?? row.settings.language },
    };
    const isRenamed = next.username !== row.username;
    const isNewSnapshot = isRenamed || next.fullName !== row.fullName || next.profilePicture !== row.profilePicture;
    if (!isNewSnapshot && next.bio === row.bio && next.settings.language === row.settings.language) return row;
    if (isRenamed) {
      next.previousUsernames = previousAfterRename(row, next.username);
      await this.accounts.requireFreeUsername(next.username, userId, session);
    }
    if (isNewSnapshot) next.snapshotVersion = row.snapshotVersion + 1;
    next.updatedAt = new Date(Math.max(Date.now(), row.updatedAt.getTime() + 1));
    // only what this method owns: counters and featured posts are moved by others, maybe at this moment
    const { previousUsernames, snapshotVersion, updatedAt } = next;
    const own = {
      username: next.username,
      previousUsernames,
      fullName: next.fullName,
      bio: next.bio,
      profilePicture: next.profilePicture,
      settings: next.settings,
      snapshotVersion,
      updatedAt,
    };
    await translateTaken(next.username, () =>
      this.users.updateOne({ _id: userId }, { $set: own }, { session, runValidators: true }).exec(),
    );
    if (isNewSnapshot) await this.outbox.add(session, AUTHOR_CHANGED, userId);
    await this.cache.invalidateOnCommit([`user:${userId.toHexString()}`, 'top-writers'], session);
    return next;
  }
}

/** @throws CodedError for a reserved word, or when the account has had too many names */
function previousAfterRename(row: UserRow, username: string): string[] {
  if (isReservedUsername(username)) {
    throw new CodedError('invalid_input', `The username ${username} is reserved.`, {
      fields: [{ field: 'username', message: 'is reserved' }],
    });
  }
  // an owner may go back to an earlier name
  const previous = [...row.previousUsernames.filter((name) => name !== username), row.username];
  if (previous.length > MAX_PREVIOUS_USERNAMES) {
    throw new CodedError(
      'username_limit',
      `An account has at most ${MAX_PREVIOUS_USERNAMES + 1} names; go back to one of: ${row.previousUsernames.join(', ')}.`,
    );
  }
  return previous;
}
