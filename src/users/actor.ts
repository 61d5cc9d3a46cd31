import { restricted } from '../platform/access/restricted.js';
import { hasRole, type Role, type Viewer } from '../platform/access/viewer.js';
import { type Standing, suspendedUntil } from './standing.js';

/** An account that acts without a request: a viewer as AccessGuard would make it of a token issued now. Only UserAccountsService makes it. */
export type Actor = Pick<Viewer, '_id' | 'id' | 'role' | 'isEmailVerified'> & { standing: Standing | null };

/** Returns the actor as a viewer of a token that is issued now. @param highest the role that the token allows */
export function viewerOf({ standing, ...viewer }: Actor, highest: Role = 'admin'): Viewer {
  const role = hasRole(viewer, highest) ? highest : viewer.role;
  return { ...viewer, role, suspendedUntil: suspendedUntil(standing, Date.now()) };
}

/** Requires of an account without a request what AccessGuard requires of a write. @throws CodedError `account_suspended` */
export function requireMayWrite({ standing }: Actor): void {
  if (standing !== null && standing.level !== 'limited') throw restricted('account_suspended', standing.until);
}
