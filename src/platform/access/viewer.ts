import { ObjectId } from 'mongodb';
import { namedValues } from '../../common/named-values.js';
import type { RouteScope, Scope } from './token-scope.js';

export const ROLES = namedValues('Role', ['user', 'moderator', 'admin']);
export type Role = (typeof ROLES)[number];

/** An API beside `/v1` with its own tokens. */
export type Audience = 'opencanvas';

/** The caller, as a verified access token describes it, without a database read. */
export type Viewer = {
  _id: ObjectId;
  /** `_id` as hex */
  id: string;
  role: Role;
  /** the session or API token of the request, whose revocation also revokes this token */
  signInId?: string | undefined;
  /** at the time the token was issued */
  isEmailVerified?: boolean | undefined;
  /** end of the suspension of the account, in ms; absent: not suspended when the token was issued */
  suspendedUntil?: number | undefined;
  /** of an API token; absent: all */
  scopes?: Scope[] | undefined;
  /** of a token for an API other than `/v1` */
  audience?: Audience | undefined;
};

/** A viewer as tokens and messages between processes contain it. */
export type ViewerClaims = Omit<Viewer, '_id'>;

const SITE_ID = '0'.repeat(24);
/** Reads content for the site itself: no account has this id. */
export const SITE: Viewer = Object.freeze({ _id: new ObjectId(SITE_ID), id: SITE_ID, role: 'moderator' });

/** Rankings count an account without a verified address as a visitor, because such accounts cost nothing. */
export function weighsAsVisitor(viewer: Pick<Viewer, 'isEmailVerified'> | null): boolean {
  return viewer?.isEmailVerified !== true;
}

/** admin > moderator > user */
export function hasRole(account: Pick<Viewer, 'role'>, role: Role): boolean {
  return ROLES.indexOf(account.role) >= ROLES.indexOf(role);
}

/** Whether an account is younger than `ms`: its id contains its age. Moderators and admins are not new. */
export function isNewcomer({ id, role }: Pick<Viewer, 'id' | 'role'>, ms: number): boolean {
  const createdAt = Number.parseInt(id.slice(0, 8), 16) * 1_000;
  return ms > 0 && !hasRole({ role }, 'moderator') && Date.now() - createdAt < ms;
}

/** Access tokens of a session have every scope. */
export function hasScope({ scopes }: Viewer, scope: RouteScope): boolean {
  return scopes === undefined || (scope !== 'account' && scopes.includes(scope));
}
