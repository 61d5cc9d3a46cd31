export const ROLES = ['user', 'moderator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Who is asking, as far as a verified access token tells: no database read stands behind it. */
export type Viewer = {
  id: string;
  role: Role;
  /** the sign-in that the token came from */
  signInId?: string | undefined;
  /** when the token was made */
  isEmailVerified?: boolean | undefined;
};

/** admin > moderator > user */
export function hasRole(viewer: Viewer, role: Role): boolean {
  return ROLES.indexOf(viewer.role) >= ROLES.indexOf(role);
}
