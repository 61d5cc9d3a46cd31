/**
 * Keys follow the order of a list, so that the first of many matches are found without reading the others. A key has at most 53 bits, as
 * numbers in JavaScript. The lowest POST_COUNTER_BITS of a post's key are the counter of its id, below the seconds of its publication.
 */
export const POST_COUNTER_BITS = 21;

/** A later publication has a larger key, because a draft may be much older than its publication. */
export function postKey(id: string, publishedAt: number): bigint {
  return (BigInt(publishedAt) << BigInt(POST_COUNTER_BITS)) | (counterOf(id) & 0x1f_ffffn);
}

/** Accounts with more followers have larger keys, then newer accounts. */
export function userKey(id: string, followersCount: number): bigint {
  return (BigInt(followersTier(followersCount)) << 47n) | (secondsOf(id) << 15n) | (counterOf(id) & 0x7fffn);
}

/** Returns two tiers per doubling, so that a new follower rarely moves a row. */
export function followersTier(followersCount: number): number {
  return Math.min(63, Math.floor(2 * Math.log2(1 + Math.max(0, followersCount))));
}

export function tierOfKey(key: number): number {
  return Math.floor(key / 2 ** 47);
}

/** Newer comments have larger keys. */
export function commentKey(id: string): bigint {
  return postKey(id, Number(secondsOf(id)));
}

function secondsOf(id: string): bigint {
  return BigInt(`0x${id.slice(0, 8)}`);
}

function counterOf(id: string): bigint {
  return BigInt(`0x${id.slice(-6)}`);
}
