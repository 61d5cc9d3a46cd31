import { namedValues } from '../common/named-values.js';

export const COLLECTIONS = 'collections';
export const COLLECTION_ITEMS = 'collection_items';
export const POST_SERIES = 'post_series';

export const COLLECTION_KINDS = namedValues('CollectionKind', ['list', 'series']);
export type CollectionKind = (typeof COLLECTION_KINDS)[number];

/** maximum number of collections per account */
export const MAX_COLLECTIONS = 100;
/** maximum number of posts per collection */
export const MAX_ITEMS = 500;

export const COLLECTION_COUNTERS = ['postsCount', 'likesCount', 'dislikesCount', 'followersCount'] as const;
export type CollectionStats = Record<(typeof COLLECTION_COUNTERS)[number], number>;

/** Returns the score for `sort=top`. The score is linear, so a change of counters adds the score of the change. */
export function topScore({ likesCount = 0, dislikesCount = 0, followersCount = 0 }: Partial<CollectionStats>): number {
  return likesCount - dislikesCount + followersCount;
}
