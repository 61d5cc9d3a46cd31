import type { PublicUserDto } from '../users/user.dto.js';

/** An account in the results of a search. */
export function toOpenCanvasFound(user: PublicUserDto) {
  const { username, fullName, profilePicture, stats } = user;
  return { _id: user.id, username, fullName, profilePicture: profilePicture ?? '', designation: '', stats };
}
