import type { RouteScope, Scope } from './token-scope.js';

export const ROLES = ['user', 'moderator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** The caller, as a verified access token describes it, without a database read. */
export type Viewer = {
  id: string;
  role: Role;
  /** the session or API token of the request, whose end revokes this token */
  signInId?: string | undefined;
  /** when the token was made */
  isEmailVerified?: boolean | undefined;
  /** of an API token; absent: all */
  scopes?: Scope[] | undefined;
};

/** Without a verified address an account is worth nothing: in ranks it weighs as a visitor does. */
export function weighsAsVisitor(viewer: Viewer | null): boolean {
  return viewer?.isEmailVerified !== true;
}

/** admin > moderator > user */
export function hasRole(viewer: Viewer, role: Role): boolean {
  return ROLES.indexOf(viewer.role) >= ROLES.indexOf(role);
}

/** Access tokens of a sign-in may do all that their account may. */
export function hasScope({ scopes }: Viewer, scope: RouteScope): boolean {
  return scopes === undefined || (scope !== 'account' && scopes.includes(scope));
}
