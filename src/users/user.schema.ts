import { Schema } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { ROLES } from '../platform/auth/viewer.js';
import { declareValidator, neverNegative } from '../platform/mongo/collection-validator.js';
import { type UserRow, USERS } from './user-row.js';

/** the name of the model */
export const USER_MODEL = 'User';

const counter = { type: Number, required: true, min: 0, default: 0 };

export const UserSchema = new Schema<UserRow>(
  {
    username: { type: String, required: true },
    previousUsernames: { type: [String], required: true, default: [] },
    fullName: { type: String, required: true },
    bio: { type: String, default: '' },
    headline: { type: String, default: '' },
    location: { type: String, default: '' },
    interests: { type: [String], default: [] },
    links: { type: [{ _id: false, title: String, url: String }], default: [] },
    profilePicture: { type: String, default: null },
    role: { type: String, enum: ROLES, required: true, default: 'user' },
    stats: {
      _id: false,
      followersCount: counter,
      followingCount: counter,
      postsCount: counter,
      likesReceivedCount: counter,
    },
    likesPerPost: { type: Number, required: true, min: 0, default: 0 },
    likesTier: { type: Number, required: true, min: 0, default: 0 },
    featuredPostIds: { type: [Schema.Types.ObjectId], required: true, default: [] },
    collectionsCount: counter,
    settings: { _id: false, language: { type: String, required: true, default: 'en' } },
    snapshotVersion: { type: Number, required: true, default: 1 },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    deletedAt: { type: Date, default: null },
  },
  schemaOptions(USERS),
);

// UsersService.findByUsername, sign-in; deleted accounts keep their names, so no other account can use them
UserSchema.index({ username: 1 }, { unique: true });
// UsersService.findByUsername by an earlier name; unique, because an earlier name belongs to one account forever
UserSchema.index(
  { previousUsernames: 1 },
  { unique: true, partialFilterExpression: { 'previousUsernames.0': { $exists: true } } },
);
// UsersService.top; with likesPerPost itself, every vote would move an entry
UserSchema.index(
  { likesTier: -1, _id: -1 },
  { partialFilterExpression: { deletedAt: null, 'stats.postsCount': { $gt: 0 } } },
);
// EndedTokens: accounts deleted while their access tokens may be unexpired
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
