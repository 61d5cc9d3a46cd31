import { randomInt } from 'node:crypto';
import { isFullName } from '../../users/profile-rules.js';
import { isReservedUsername } from '../../users/reserved-names.js';

const FALLBACK = 'reader';
const MAX_SLUG = 11;
const MIN_SLUG = 3;

/** A username that is probably available: the Latin letters of the name, and a number. */
export function usernameFor(name: string): string {
  const latin = name.slice(0, 200).normalize('NFKD').toLowerCase();
  const words = latin.replace(/\p{M}/gu, '').match(/[a-z0-9]+/g) ?? [];
  const slug = words.join('_').slice(0, MAX_SLUG).replace(/_$/, '');
  const isFit = slug.length >= MIN_SLUG && /[a-z]/.test(slug) && !isReservedUsername(slug);
  return `${isFit ? slug : FALLBACK}${randomInt(1_000, 100_000)}`;
}

/** The name at the provider, if it is valid here. */
export function fullNameFor(name: string, username: string): string {
  const tidy = name.trim().normalize('NFC');
  return isFullName(tidy) ? tidy : username;
}
