import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { RemovedTextsService } from '../moderation/removed-texts.service.js';
import { requireVersion } from '../platform/http/if-match.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { NewcomerLimitsService } from '../rules/newcomer-limits.service.js';
import type { CheckedText } from '../rules/rule-matcher.js';
import { TextChecksService } from '../rules/text-checks.service.js';
import type { UpdateProfile } from './dto/user-input.dto.js';
import { DEFAULT_NOTIFICATIONS, type NotificationSettings } from './notification-settings.js';
import { User } from './user.schema.js';
import { isReservedUsername } from './reserved-names.js';
import { translateDuplicateName, UserAccountsService } from './user-accounts.service.js';
import { UsersService } from './users.service.js';
import { AUTHOR_CHANGED, INTERESTS_CHANGED, PERSONALISED_OFF, PROFILE_CHANGED } from './users.events.js';

/** Limits the names of an account, because every name stays reserved forever. */
const MAX_PREVIOUS_USERNAMES = 10;

/** The fields of an author in posts and comments. */
const SNAPSHOT = ['username', 'fullName', 'profilePicture'] as const;
const EDITABLE_FIELDS = [...SNAPSHOT, 'bio', 'headline', 'location', 'interests'] as const;

/** The changes that an account may make to itself. Missing fields stay unchanged. */
export type ProfileChanges = Omit<UpdateProfile, 'settings'> & {
  settings?: { language?: string; personalised?: boolean; notifications?: Partial<NotificationSettings> };
};

type ProfileImageInput = Pick<UpdateProfile, 'profilePicture' | 'profilePictureMediaId'>;

/** Updates the profile of an account. */
@Injectable()
export class ProfileService {
  /** The media module replaces this function, because it stores the owner of an image. @throws CodedError `invalid_input` */
  resolveProfileImage = (
    _userId: ObjectId,
    { profilePicture }: ProfileImageInput,
  ): Promise<string | null | undefined> => Promise.resolve(profilePicture);

  constructor(
    private readonly mongo: MongoService,
    private readonly reads: UsersService,
    private readonly accounts: UserAccountsService,
    private readonly checks: TextChecksService,
    private readonly newcomers: NewcomerLimitsService,
    private readonly removedTexts: RemovedTextsService,
    @InjectModel(User.name) private readonly users: Model<User>,
  ) {}

  /**
   * Changes the given fields. A task that commits with the change updates the copies in posts and comments.
   * @param ifMatch the raw If-Match header
   * @throws CodedError `username_taken`, `username_limit`, `user_not_found`, `precondition_failed`, `newcomer_content`, `content_rejected`
   */
  async update(userId: ObjectId, input: ProfileChanges, ifMatch?: string): Promise<User> {
    const changes = { ...input, profilePicture: await this.resolveProfileImage(userId, input) };
    return this.mongo.serializedTransaction(userId.toHexString(), async (tx) => {
      const row = await this.reads.getById(userId, tx);
      requireVersion(ifMatch, row.updatedAt.getTime(), 'Your profile');
      return this.write(row, changes, tx);
    });
  }

  private async write(row: User, changes: ProfileChanges, tx: Transaction): Promise<User> {
    const edited = editedFields(changes, row);
    const differs = (field: keyof User): boolean => field in edited && !isDeepStrictEqual(edited[field], row[field]);
    const changed = (Object.keys(edited) as (keyof User)[]).filter(differs);
    if (changed.length === 0) return row;
    const content = { scope: 'profile', authorId: row._id, targetId: row._id } as const;
    const verdict = await this.checks.check(content, this.textsOf(row, pick(edited, changed)));
    if (differs('username')) await this.requireMayRename(row, edited.username!, tx);
    const written = await this.replace(row, edited, tx);
    if (differs('interests')) await tx.runHooks(INTERESTS_CHANGED, { userId: row._id, interests: written.interests });
    if (differs('settings') && written.settings.personalised === false) await tx.runHooks(PERSONALISED_OFF, row._id);
    if (verdict !== null) await this.checks.apply(verdict, content, tx);
    return written;
  }

  /** Writes checked fields. A task that commits with them updates the copies in posts and comments. */
  async replace(row: User, edited: Partial<User>, tx: Transaction): Promise<User> {
    // Writes only these fields, because concurrent writes may move counters and featured posts.
    const own: Partial<User> = { ...edited, updatedAt: new Date(Math.max(Date.now(), row.updatedAt.getTime() + 1)) };
    const { username = row.username } = edited;
    if (username !== row.username) own.previousUsernames = previousAfterRename(row, username);
    const isNewSnapshot = SNAPSHOT.some((field) => field in edited && !isDeepStrictEqual(edited[field], row[field]));
    if (isNewSnapshot) own.snapshotVersion = row.snapshotVersion + 1;
    await translateDuplicateName(username, () =>
      this.users.updateOne({ _id: row._id }, { $set: own }, { session: tx.session, runValidators: true }).exec(),
    );
    if (isNewSnapshot) tx.addTask(AUTHOR_CHANGED, row._id);
    tx.invalidate([`user:${row._id.toHexString()}`, 'top-writers']);
    const written = { ...row, ...own };
    await tx.runHooks(PROFILE_CHANGED, written);
    return written;
  }

  /** @throws CodedError `invalid_input` for a reserved or removed name, `username_limit`, `username_taken` */
  private async requireMayRename(row: User, username: string, tx: Transaction): Promise<void> {
    if (isReservedUsername(username)) throw reserved(username);
    const isEarlier = row.previousUsernames.includes(username);
    if (isEarlier && (await this.removedTexts.hasName(row._id, username, tx))) throw reserved(username);
    const previous = previousAfterRename(row, username);
    if (previous.length > MAX_PREVIOUS_USERNAMES) throw tooManyNames(row);
    await this.accounts.requireFreeUsername(username, row._id, tx);
  }

  /** Returns the texts of changed fields. @throws CodedError `newcomer_content` */
  private textsOf({ _id, role }: User, changed: Partial<User>): CheckedText[] {
    const texts = textsOf(changed);
    const otherImages = changed.profilePicture?.startsWith('https://') ? ['profilePicture'] : [];
    this.newcomers.requirePlain({ id: _id.toHexString(), role }, texts, otherImages);
    return texts;
  }
}

/** Returns the texts that readers see. */
function textsOf({
  username,
  fullName,
  headline,
  bio,
  location,
  interests,
  links = [],
  ...rest
}: Partial<User>): CheckedText[] {
  const texts = { username, fullName, headline, bio, location, interests: interests?.join('\n') };
  const addresses = [
    ...links.map(({ url }) => ({ field: 'links', text: url, isUrl: true })),
    ...(rest.profilePicture ? [{ field: 'profilePicture', text: rest.profilePicture, isUrl: true }] : []),
  ];
  const titles = links.map(({ title }) => ({ field: 'links', text: title }));
  return [
    ...Object.entries(texts).flatMap(([field, text]) => (text === undefined ? [] : [{ field, text }])),
    ...titles,
    ...addresses,
  ];
}

function pick(fields: Partial<User>, names: readonly (keyof User)[]): Partial<User> {
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}

/** Returns the given fields as plain values. */
function editedFields(changes: ProfileChanges, row: User): Partial<User> {
  const edited: Partial<User> = {};
  for (const field of EDITABLE_FIELDS)
    if (changes[field] !== undefined) Object.assign(edited, { [field]: changes[field] });
  if (changes.links !== undefined) edited.links = changes.links.map(({ title, url }) => ({ title, url }));
  if (changes.settings !== undefined) {
    const { language = row.settings.language, personalised, notifications } = changes.settings;
    edited.settings = { ...row.settings, language, ...(personalised !== undefined && { personalised }) };
    if (notifications !== undefined)
      edited.settings.notifications = { ...DEFAULT_NOTIFICATIONS, ...row.settings.notifications, ...notifications };
  }
  return edited;
}

/** Returns the earlier names. An owner may use one of them again. */
function previousAfterRename(row: User, username: string): string[] {
  return [...row.previousUsernames.filter((name) => name !== username), row.username];
}

function reserved(username: string): CodedError {
  const fields = [{ field: 'username', message: 'is reserved' }];
  return new CodedError('invalid_input', `The username ${username} is reserved.`, { fields });
}

function tooManyNames({ previousUsernames }: User): CodedError {
  const detail = `An account has at most ${MAX_PREVIOUS_USERNAMES + 1} names; go back to one of: ${previousUsernames.join(', ')}.`;
  return new CodedError('username_limit', detail);
}
