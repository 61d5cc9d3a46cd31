import type { PublicUserDto } from '../users/user.dto.js';

/** Converts an account to a search result of OpenCanvas. */
export function toOpenCanvasFound(user: PublicUserDto) {
  const { username, fullName, profilePicture, stats } = user;
  return { _id: user.id, username, fullName, profilePicture: profilePicture ?? '', designation: '', stats };
}
