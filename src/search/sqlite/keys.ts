/**
 * Row numbers follow the order of a list, so that the first of many matches are found without reading the others. A number has at most
 * 53 bits, as in JavaScript.
 */

const SECONDS = 8;
const COUNTER_DIGITS = 6;

/** The bits of the id's counter in the key of a post, below the seconds of its publication. */
export const POST_COUNTER_BITS = 21;

/** A later publication has a larger key; a draft may be much older than its publication. */
export function postKey(id: string, publishedAt: number): bigint {
  return (BigInt(publishedAt) << BigInt(POST_COUNTER_BITS)) | (counterOf(id) & 0x1f_ffffn);
}

/** Accounts with more followers have larger keys; then newer ones. */
export function userKey(id: string, followersCount: number): bigint {
  return (BigInt(followersTier(followersCount)) << 47n) | (secondsOf(id) << 15n) | (counterOf(id) & 0x7fffn);
}

/** Two steps per doubling, so that a new follower rarely moves a row. */
export function followersTier(followersCount: number): number {
  return Math.min(63, Math.floor(2 * Math.log2(1 + Math.max(0, followersCount))));
}

export function tierOfKey(key: number): number {
  return Math.floor(key / 2 ** 47);
}

function secondsOf(id: string): bigint {
  return BigInt(`0x${id.slice(0, SECONDS)}`);
}

function counterOf(id: string): bigint {
  return BigInt(`0x${id.slice(-COUNTER_DIGITS)}`);
}
