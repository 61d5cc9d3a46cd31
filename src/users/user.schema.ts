import type { ObjectId } from 'mongodb';
import { Prop, raw, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import type { NotificationSettings } from './notification-settings.js';
import { Standing } from './standing.js';
import { type Role, ROLES } from '../platform/access/viewer.js';
import { declareValidator, neverNegative } from '../platform/mongo/collection-validator.js';

export const USERS = 'users';
export const MAX_FEATURED = 8;

/** indexes of moderators and admins, who are few among many accounts */
export const STAFF_BY_TIME = { role: 1, _id: -1 } as const;
export const STAFF_BY_NAME = { role: 1, username: 1 } as const;
export const RESTRICTED = { 'standing.level': 1, _id: -1 } as const;

export type UserStats = {
  followersCount: number;
  followingCount: number;
  /** listed posts */
  postsCount: number;
  /** likes of those posts */
  likesReceivedCount: number;
};

export type UserSettings = {
  language: string;
  /** absent until the account has chosen */
  notifications?: NotificationSettings;
  /** absent: true */
  personalised?: boolean;
};

export type ProfileLink = { title: string; url: string };

const counter = { type: Number, required: true, min: 0, default: 0 };

@Schema(schemaOptions(USERS))
export class User {
  _id!: ObjectId;
  @Prop({ required: true }) username!: string;
  /** earlier names, oldest first; reserved for this account, and redirected to its profile */
  @Prop({ type: [String], required: true, default: [] }) previousUsernames!: string[];
  @Prop({ required: true }) fullName!: string;
  @Prop({ default: '' }) bio!: string;
  @Prop({ default: '' }) headline!: string;
  @Prop({ default: '' }) location!: string;
  @Prop({ type: [String], default: [] }) interests!: string[];
  @Prop({ type: [{ _id: false, title: String, url: String }], default: [] }) links!: ProfileLink[];
  @Prop({ type: String, default: null }) profilePicture!: string | null;
  @Prop({ type: String, enum: ROLES, required: true, default: 'user' }) role!: Role;
  @Prop(
    raw({
      _id: false,
      followersCount: counter,
      followingCount: counter,
      postsCount: counter,
      likesReceivedCount: counter,
    }),
  )
  stats!: UserStats;
  /** likesReceivedCount / postsCount, 0 without posts; changes only with them */
  @Prop({ required: true, min: 0, default: 0 }) likesPerPost!: number;
  /** likesTier(likesPerPost), the order of top writers */
  @Prop({ required: true, min: 0, default: 0 }) likesTier!: number;
  @Prop({ type: [SchemaTypes.ObjectId], required: true, default: [] }) featuredPostIds!: ObjectId[];
  /** `seq` of the latest block by or of this account, also after it was removed; absent if there was none */
  @Prop({ type: SchemaTypes.ObjectId }) lastBlockId?: ObjectId;
  /** absent or null: good */
  @Prop({ type: Standing }) standing?: Standing | null;
  /** lists of posts, private ones included */
  @Prop(counter) collectionsCount!: number;
  @Prop(
    raw({
      _id: false,
      language: { type: String, required: true, default: 'en' },
      notifications: { type: Object, required: false },
      personalised: { type: Boolean, required: false },
    }),
  )
  settings!: UserSettings;
  /** increments with every change of an AuthorSnapshot's fields */
  @Prop({ required: true, default: 1 }) snapshotVersion!: number;
  @Prop({ required: true }) createdAt!: Date;
  @Prop({ required: true }) updatedAt!: Date;
  @Prop({ type: Date, default: null }) deletedAt!: Date | null;
}

export const UserSchema = SchemaFactory.createForClass(User);

// UsersService.findByUsername, sign-in; deleted accounts are included, so that no other account can use their names
UserSchema.index({ username: 1 }, { unique: true });
// UsersService.findByUsername by an earlier name; unique, because an earlier name belongs to one account forever
UserSchema.index(
  { previousUsernames: 1 },
  { unique: true, partialFilterExpression: { 'previousUsernames.0': { $exists: true } } },
);
// UsersService.top; an index on likesPerPost would move an entry at every vote
UserSchema.index(
  { likesTier: -1, _id: -1 },
  { partialFilterExpression: { deletedAt: null, 'stats.postsCount': { $gt: 0 } } },
);
// UserDirectoryService.list with a role; UserAccountsService.adminIds, .staffIds
UserSchema.index(STAFF_BY_TIME, { partialFilterExpression: { role: { $in: ['moderator', 'admin'] } } });
UserSchema.index(STAFF_BY_NAME, { partialFilterExpression: { role: { $in: ['moderator', 'admin'] } } });
// UserDirectoryService.list with a standing
UserSchema.index(RESTRICTED, { partialFilterExpression: { 'standing.level': { $exists: true } } });
// TokenRevocations: accounts deleted while their access tokens may be unexpired
UserSchema.index({ deletedAt: 1 }, { partialFilterExpression: { deletedAt: { $type: 'date' } } });

declareValidator(
  UserSchema,
  neverNegative(
    'stats.followersCount',
    'stats.followingCount',
    'stats.postsCount',
    'stats.likesReceivedCount',
    'likesPerPost',
    'collectionsCount',
  ),
);

export type NewUser = Pick<User, '_id' | 'username' | 'fullName'> & { role?: Role | undefined };

/** The row of a new account. */
export function newUserRow({ _id, username, fullName, role = 'user' }: NewUser, now: Date): User {
  return {
    _id,
    username,
    previousUsernames: [],
    fullName,
    bio: '',
    headline: '',
    location: '',
    interests: [],
    links: [],
    profilePicture: null,
    role,
    stats: { followersCount: 0, followingCount: 0, postsCount: 0, likesReceivedCount: 0 },
    likesPerPost: 0,
    likesTier: 0,
    featuredPostIds: [],
    collectionsCount: 0,
    settings: { language: 'en' },
    snapshotVersion: 1,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  };
}
