import type { Credential } from '../auth/credential.schema.js';
import { canonicalAddress, mailboxOf } from '../common/canonical-address.js';
import { type Role, ROLES } from '../platform/access/viewer.js';
import {
  DISPLAY_NAME,
  MAX_BIO,
  MAX_FULL_NAME,
  MAX_HEADLINE,
  MAX_INTERESTS,
  MAX_LINK_TITLE,
  MAX_LINKS,
} from '../users/profile-rules.js';
import { DEFAULT_NOTIFICATIONS, NOTIFICATIONS, type NotificationSettings } from '../users/notification-settings.js';
import { isReservedUsername } from '../users/reserved-names.js';
import { newUserRow, type ProfileLink, type User, USERS } from '../users/user.schema.js';
import { isUsername } from '../users/username.js';
import { changeOf, isDefaultImage, objectOf, timeOf } from './clean.js';
import {
  addressOf,
  truncate,
  normalizeLine,
  normalizeText,
  tagsOf,
  withoutInvisible,
} from '../platform/http/validation/foreign-values.js';
import type { TargetUser } from './target-lookup.js';
import type { SourceRow } from './source.js';
import type { Batch, Context, Stage } from './stage.js';

const USERNAME_MAX = 16;
const DEFAULT_DESIGNATION = 'Learner';
const SNAPSHOT = ['username', 'fullName', 'profilePicture'] as const;
export const USERS_STAGE: Stage = {
  name: 'users',
  collection: 'users',
  fields: [
    ...['username', 'email', 'fullName', 'role', 'profilePicture', 'designation', 'aboutMe', 'interestedIn'],
    ...['contactInformation', 'notifications', 'premiumUser.isPremium', 'lastFiveLogin', 'createdAt', 'updatedAt'],
  ],
  // The source writes these fields at every sign-in.
  unhashed: ['updatedAt', 'lastFiveLogin'],
  plan: planUsers,
};

async function planUsers(rows: SourceRow[], batch: Batch, context: Context): Promise<void> {
  const existing = await context.targets.users(rows.map(({ _id }) => _id));
  const planned = rows
    .filter((row) => batch.mayWrite(row, existing.get(row._id.toHexString())))
    .map((row): Planned => ({
      row,
      user: userOf(row, batch, context.now),
      before: existing.get(row._id.toHexString()),
    }));
  batch.secondStep = () => planNames(planned, batch, context);
}

type Planned = { row: SourceRow; user: User; before: TargetUser | undefined };

/** Writes the accounts with usernames and addresses that no other account has. */
async function planNames(planned: Planned[], batch: Batch, { targets, now }: Context): Promise<void> {
  const emails = planned.map(({ row }) => canonicalAddress(normalizeLine(row['email'])));
  const [owners, holders] = await Promise.all([
    targets.ownersOfNames(planned.flatMap(({ row }) => nameOf(row['username']) ?? [])),
    targets.ownersOfAddresses(emails.filter((email) => email !== null)),
  ]);
  const seen = new Set<string>();
  const others = planned.flatMap(({ row: { _id, username } }) => {
    const name = nameOf(username);
    if (name === null) return [];
    const isTwice = seen.has(name);
    seen.add(name);
    return isTwice || !isFree(owners, name, _id.toHexString()) ? nameAlternatives(name) : [];
  });
  for (const [name, owner] of await targets.ownersOfNames(others)) owners.set(name, owner);
  for (const [at, { row, user, before }] of planned.entries()) {
    user.username = availableUsername(user._id.toHexString(), nameOf(row['username']), before, owners);
    if (user.username !== row['username']) batch.change(row, 'another username');
    else if (isReservedUsername(user.username)) batch.change(row, 'a reserved username, kept');
    user.fullName = fullNameOf(row['fullName']) ?? user.username;
    owners.set(user.username, user._id.toHexString());
    if (before === undefined) batch.insert(USERS, user);
    else rewrite(before, user, batch);
    const credential = credentialOf(user, emails[at]!, holders, now);
    if (credential === null) batch.change(row, 'no e-mail address of its own: no sign-in');
    else if (before === undefined) batch.insert('credentials', credential);
    batch.markImported(row, { updatedAt: user.updatedAt });
  }
}

/** Updates an account, except its counters and featured posts. */
function rewrite(before: TargetUser, user: User, batch: Batch): void {
  const { username, fullName, bio, headline, interests, links, profilePicture, role } = user;
  const { settings, updatedAt } = user;
  const set = { username, fullName, bio, headline, interests, links, profilePicture, role, settings, updatedAt };
  const isAnother = SNAPSHOT.some((field) => before[field] !== user[field]);
  const previous = new Set([...before.previousUsernames, before.username]);
  previous.delete(username);
  const u = { $set: { ...set, previousUsernames: [...previous] }, $inc: { snapshotVersion: isAnother ? 1 : 0 } };
  batch.update(USERS, { q: { _id: user._id }, u });
  if (isAnother) batch.changedAuthors.push(user._id);
}

function userOf(row: SourceRow, batch: Batch, now: Date): User {
  const createdAt = timeOf(row['createdAt'], row._id, now);
  const { tags: interests, isChanged } = tagsOf(interestsOf(row['interestedIn']), MAX_INTERESTS);
  if (isChanged) batch.change(row, 'interests by the tag rule');
  const picture = row['profilePicture'] as unknown;
  const profilePicture = isDefaultImage(picture) ? null : addressOf(picture, 'https:');
  if (profilePicture === null && typeof picture === 'string' && picture !== '' && !isDefaultImage(picture))
    batch.change(row, 'an image that is not at an https address, left out');
  const role = ROLES.find((one) => one === row['role']) ?? 'user';
  if (row['role'] !== undefined && role !== row['role']) batch.change(row, 'an unknown role: user');
  reportDropped(row, batch);
  const designation = normalizeLine(row['designation']);
  return {
    ...newUserRow({ _id: row._id, username: '', fullName: '' }, createdAt),
    bio: truncate(normalizeText(row['aboutMe']), MAX_BIO),
    headline: designation === DEFAULT_DESIGNATION ? '' : truncate(designation, MAX_HEADLINE),
    interests,
    links: linksOf(row, batch),
    profilePicture,
    role: role satisfies Role,
    settings: settingsOf(row),
    updatedAt: changeOf(row['updatedAt'], createdAt, now),
  };
}

function interestsOf(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 && value[0] === 'any' ? [] : value;
}

/** Omits `notifications` if all of them have their default value. */
function settingsOf(row: SourceRow): User['settings'] {
  const given = objectOf(row['notifications']);
  const valueOf = (kind: (typeof NOTIFICATIONS)[number]): boolean => {
    const value = given[`${kind}Notification`];
    return typeof value === 'boolean' ? value : DEFAULT_NOTIFICATIONS[kind];
  };
  if (NOTIFICATIONS.every((kind) => valueOf(kind) === DEFAULT_NOTIFICATIONS[kind])) return { language: 'en' };
  const notifications = Object.fromEntries(NOTIFICATIONS.map((kind) => [kind, valueOf(kind)]));
  return { language: 'en', notifications: notifications as NotificationSettings };
}

/** Reports source fields that have no counterpart here. */
function reportDropped(row: SourceRow, batch: Batch): void {
  if (objectOf(row['premiumUser'])['isPremium'] === true) batch.change(row, 'premium, left out');
  const logins: unknown = row['lastFiveLogin'];
  if (Array.isArray(logins) && logins.length > 0) batch.change(row, 'the last sign-ins, left out');
}

function linksOf(row: SourceRow, batch: Batch): ProfileLink[] {
  const given: unknown = row['contactInformation'];
  if (!Array.isArray(given)) return [];
  const links = given.flatMap((entry: unknown) => {
    const { title, url: address } = objectOf(entry);
    const url = addressOf(address, 'https:', 'http:');
    if (url === null) return [];
    const shown = truncate(withoutInvisible(normalizeLine(title)), MAX_LINK_TITLE);
    return [{ title: DISPLAY_NAME.test(shown) ? shown : truncate(new URL(url).host, MAX_LINK_TITLE), url }];
  });
  if (links.length < given.length || links.length > MAX_LINKS)
    batch.change(row, 'links that are no web address, or many');
  return links.slice(0, MAX_LINKS);
}

/** Returns null if no valid name remains; the username is displayed instead. */
function fullNameOf(value: unknown): string | null {
  const name = truncate(normalizeLine(value), MAX_FULL_NAME);
  if (DISPLAY_NAME.test(name)) return name;
  const visible = withoutInvisible(name);
  return DISPLAY_NAME.test(visible) ? visible : null;
}

/** Returns null if the value is not a valid username. */
function nameOf(value: unknown): string | null {
  const name = normalizeLine(value).toLowerCase();
  return isUsername(name) ? name : null;
}

/** Returns alternatives for a name that another account has. */
function nameAlternatives(name: string): string[] {
  const stem = name.slice(0, USERNAME_MAX - 3);
  return Array.from({ length: 99 }, (_, at) => `${stem}_${String(at + 1).padStart(2, '0')}`);
}

function isFree(owners: Map<string, string>, name: string | null, id: string): boolean {
  return name === null || [undefined, id].includes(owners.get(name));
}

function availableUsername(
  id: string,
  name: string | null,
  before: TargetUser | undefined,
  owners: Map<string, string>,
): string {
  if (name !== null && isFree(owners, name, id)) return name;
  // The name that an earlier import assigned must not change.
  if (before !== undefined) return before.username;
  const other = name === null ? undefined : nameAlternatives(name).find((one) => isFree(owners, one, id));
  return other ?? `user_${id.slice(-11)}`;
}

function credentialOf(
  { _id, createdAt }: User,
  email: string | null,
  holders: Map<string, string>,
  now: Date,
): Credential | null {
  const id = _id.toHexString();
  if (email === null || ![undefined, id].includes(holders.get(email))) return null;
  holders.set(email, id);
  return {
    _id,
    email,
    mailbox: mailboxOf(email),
    bannedUntil: null,
    emailVerifiedAt: createdAt,
    heldEmail: null,
    heldUntil: null,
    unlinkedProviders: [],
    passwordHash: null,
    passwordChangedAt: null,
    signedInAt: null,
    importedAt: now,
    updatedAt: createdAt,
  };
}
