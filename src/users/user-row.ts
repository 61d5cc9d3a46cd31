import type { ObjectId } from 'mongodb';
import type { Role } from '../platform/auth/viewer.js';

export const USERS = 'users';
export const MAX_FEATURED = 8;

export type UserStats = {
  followersCount: number;
  followingCount: number;
  /** listed posts */
  postsCount: number;
  /** likes of those posts */
  likesReceivedCount: number;
};

export type UserSettings = { language: string };

export type ProfileLink = { title: string; url: string };

export type UserRow = {
  _id: ObjectId;
  username: string;
  /** earlier names, oldest first; they stay reserved for this account, and redirect to it */
  previousUsernames: string[];
  fullName: string;
  bio: string;
  /** this and the next three: absent in rows of earlier releases, which means empty */
  headline?: string;
  location?: string;
  interests?: string[];
  links?: ProfileLink[];
  profilePicture: string | null;
  role: Role;
  stats: UserStats;
  /** likesReceivedCount / postsCount, 0 without posts; changes only with them */
  likesPerPost: number;
  /** likesTier(likesPerPost), the order of top writers; accounts of earlier releases have none until `counters repair` */
  likesTier: number;
  featuredPostIds: ObjectId[];
  /** lists of posts, private ones included; absent in accounts of earlier releases, which means 0 */
  collectionsCount?: number;
  settings: UserSettings;
  /** increments with every change of an AuthorSnapshot's fields */
  snapshotVersion: number;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
};

export type NewUser = Pick<UserRow, '_id' | 'username' | 'fullName'>;

/** The row of a new account. */
export function newUserRow({ _id, username, fullName }: NewUser, now: Date): UserRow {
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
    role: 'user',
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
