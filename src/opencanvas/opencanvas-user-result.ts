import type { PublicUserDto } from '../users/user.dto.js';

/** Converts a user to a search result of OpenCanvas. */
export function toOpenCanvasUserResult(user: PublicUserDto) {
  const { username, fullName, profilePicture, stats } = user;
  return { _id: user.id, username, fullName, profilePicture: profilePicture ?? '', designation: '', stats };
}
