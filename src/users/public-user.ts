import type { OwnUserDto, PublicUserDto, TopWriterDto } from './user.dto.js';
import type { UserRow } from './user-row.js';

/** What everyone may see of an account. Holds no e-mail: that is kept in a collection of its own. */
export function toPublicUser(row: UserRow): PublicUserDto {
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

/** What its owner sees besides. */
export function toOwnUser(row: UserRow): OwnUserDto {
  return { ...toPublicUser(row), settings: { language: row.settings.language }, updatedAt: row.updatedAt };
}

export function toTopWriter(row: UserRow): TopWriterDto {
  return { ...toPublicUser(row), likesPerPost: row.likesPerPost };
}
