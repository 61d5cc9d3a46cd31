import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { type ModerationTarget, ModerationTargets, type RemovedPart } from '../moderation/moderation-targets.js';
import type { Removal } from '../moderation/removal.js';
import { RemovedTextsService, restorable } from '../moderation/removed-texts.service.js';
import { ProfileService } from './profile.service.js';
import type { User } from './user.schema.js';
import { UsersService } from './users.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';

/** What readers see of a profile, with the neutral value of each but the names. */
const NEUTRAL = { bio: '', headline: '', location: '', interests: [], links: [], profilePicture: null } as const;
export const PROFILE_FIELDS = ['username', 'fullName', ...(Object.keys(NEUTRAL) as (keyof typeof NEUTRAL)[])] as const;
export type ProfileField = (typeof PROFILE_FIELDS)[number];
/** Another username changes the address of the profile, so it is removed on request only. */
const DEFAULT_FIELDS = PROFILE_FIELDS.filter((field) => field !== 'username');

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Removes texts, names and the image of a profile for moderators. The owner can write new ones. */
@Injectable()
export class ProfileRemovalsService implements ModerationTarget {
  constructor(
    private readonly users: UsersService,
    private readonly profiles: ProfileService,
    private readonly texts: RemovedTextsService,
    targets: ModerationTargets,
  ) {
    for (const kind of ['profile', 'user'] as const) targets.register(kind, this);
  }

  async ownerOf(userId: ObjectId, tx: Transaction): Promise<ObjectId> {
    return (await this.users.getById(userId, tx))._id;
  }

  /**
   * Empties fields. A removed username is replaced by a generated one, and a full name by the username. Both names stay with the account.
   * @returns the changed fields, for the log
   * @throws CodedError `user_not_found`, `already_removed`
   */
  async moderate(
    userId: ObjectId,
    { actionId }: Pick<Removal, 'actionId'>,
    tx: Transaction,
    { fields = DEFAULT_FIELDS }: Pick<RemovedPart, 'ownerId'> & { fields?: readonly ProfileField[] | undefined },
  ): Promise<string> {
    const row = await this.users.getById(userId, tx);
    const username = fields.includes('username') ? generatedName() : row.username;
    const neutral: Pick<User, ProfileField> = { username, fullName: username, ...NEUTRAL, interests: [], links: [] };
    const changed = fields.filter((field) => !isDeepStrictEqual(plain(row[field]), neutral[field]));
    const of = { targetKind: 'profile', targetId: userId, ownerId: userId } as const;
    await this.texts.add(actionId, of, pick(row, changed), pick(neutral, changed), tx);
    await this.profiles.replace(row, pick(neutral, changed), tx);
    return changed.map((field) => (field === 'username' ? `username -> ${username}` : field)).join(', ');
  }

  /** Restores the fields that the owner has not changed since. @throws CodedError `user_not_found`, `not_removed` */
  async restore(userId: ObjectId, tx: Transaction, actionId: ObjectId | null): Promise<void> {
    const removed = await this.texts.take(actionId, tx);
    const row = await this.users.getById(userId, tx);
    await this.profiles.replace(row, restorable(removed, pick(row, PROFILE_FIELDS)), tx);
  }
}

function pick(row: Pick<User, ProfileField>, fields: readonly ProfileField[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, plain(row[field])]));
}

/** Links may have the prototype of a document. */
function plain(value: unknown): unknown {
  return structuredClone(value);
}

function generatedName(): string {
  return `user_${Array.from({ length: 10 }, () => LETTERS[randomInt(LETTERS.length)]).join('')}`;
}
