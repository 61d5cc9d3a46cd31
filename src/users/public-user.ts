import type { Role } from '../platform/access/viewer.js';
import type { UserRow, UserSettings, UserStats } from './user-row.js';

/** What everybody may see of an account. Holds no e-mail: that is kept in a collection of its own. */
export type PublicUser = {
  id: string;
  username: string;
  fullName: string;
  bio: string;
  profilePicture: string | null;
  role: Role;
  stats: UserStats;
  featuredPostIds: string[];
  createdAt: Date;
};

/** What its owner sees besides. */
export type OwnUser = PublicUser & { settings: UserSettings; updatedAt: Date };

export type TopWriter = PublicUser & { likesPerPost: number };

export function toPublicUser(row: UserRow): PublicUser {
  const { followersCount, followingCount, postsCount, likesReceivedCount } = row.stats;
  return {
    id: row._id.toHexString(),
    username: row.username,
    fullName: row.fullName,
    bio: row.bio,
    profilePicture: row.profilePicture,
    role: row.role,
    stats: { followersCount, followingCount, postsCount, likesReceivedCount },
    featuredPostIds: row.featuredPostIds.map((id) => id.toHexString()),
    createdAt: row.createdAt,
  };
}

export function toOwnUser(row: UserRow): OwnUser {
  return { ...toPublicUser(row), settings: { language: row.settings.language }, updatedAt: row.updatedAt };
}

export function toTopWriter(row: UserRow): TopWriter {
  return { ...toPublicUser(row), likesPerPost: row.likesPerPost };
}
