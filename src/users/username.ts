import { EXAMPLE } from '../common/examples.js';
export const USERNAME_LENGTH = { min: 4, max: 16 };
/** Old names may begin or end with `_`. */
const USERNAME_PATTERN = /^(?![0-9]+$)[a-z0-9_]{4,16}$/;
export const NEW_USERNAME_PATTERN = /^(?![0-9]+$)[a-z0-9][a-z0-9_]{2,14}[a-z0-9]$/;
/** Names in URLs and filters may have any case. */
export const ANY_USERNAME_PATTERN = /^[A-Za-z0-9_]{4,16}$/;
/** A name in a response or a URL, for the document. */
export const USERNAME_SCHEMA = {
  type: 'string',
  minLength: 4,
  maxLength: 16,
  pattern: ANY_USERNAME_PATTERN.source,
} as const;
/** For `@ApiParam`. */
export const USERNAME_PARAM = {
  name: 'username',
  description: 'current or previous username, in any case',
  ...USERNAME_SCHEMA,
  example: EXAMPLE.username,
};
export const USERNAME_RULE = 'must be 4 to 16 of a-z, 0-9 and _, without _ at its ends, and not digits only';

/** The canonical URL of a profile; null if the name is invalid. */
export function profilePath(username: string | undefined): string | null {
  const name = username?.toLowerCase() ?? '';
  return isUsername(name) ? `/v1/users/${name}` : null;
}

/** Whether a string is a valid username; saves the query for an invalid one. */
export function isUsername(username: string): boolean {
  return USERNAME_PATTERN.test(username);
}
