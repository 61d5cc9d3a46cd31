import type { PublicUserDto } from '../users/user.dto.js';

/** Converts a user to a search result as the OpenCanvas client expects it. */
export function toOpenCanvasUserResult(user: PublicUserDto) {
  const { username, fullName, profilePicture, stats } = user;
  return { _id: user.id, username, fullName, profilePicture: profilePicture ?? '', designation: '', stats };
}
