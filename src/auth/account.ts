import { type OwnUser, toOwnUser } from '../users/public-user.js';
import type { UserRow } from '../users/user-row.js';

/** The account as its owner sees it; the only answer that holds the e-mail address. */
export type Account = OwnUser & { email: string };

export type SignedIn = {
  accessToken: string;
  tokenType: 'Bearer';
  /** seconds */
  expiresIn: number;
  refreshToken: string;
  user: Account;
};

export function toAccount(user: UserRow, email: string): Account {
  return { ...toOwnUser(user), email };
}
