import type { Binary, ObjectId } from 'mongodb';
import type { AuthorSnapshot } from '../users/author-snapshot.js';

export const COLLECTIONS = 'collections';
export const COLLECTION_ITEMS = 'collection_items';
export const POST_SERIES = 'post_series';

export const COLLECTION_KINDS = ['list', 'series'] as const;
export type CollectionKind = (typeof COLLECTION_KINDS)[number];

/** the maximum of collections per account */
export const MAX_COLLECTIONS = 100;
/** the maximum of posts in a collection */
export const MAX_ITEMS = 500;

export const COLLECTION_COUNTERS = ['postsCount', 'likesCount', 'dislikesCount', 'followersCount'] as const;
export type CollectionStats = Record<(typeof COLLECTION_COUNTERS)[number], number>;

/** A named list of posts in the order of its owner. */
export type CollectionRow = {
  _id: ObjectId;
  ownerId: ObjectId;
  ownerSnapshot: AuthorSnapshot;
  title: string;
  slug: string;
  description: string;
  kind: CollectionKind;
  isPublic: boolean;
  /** true while public and not deleted: the flag by which every list filters */
  isListed: boolean;
  tags: string[];
  thumbnailUrl: string | null;
  stats: CollectionStats;
  /** topScore(stats); changes only with them */
  topScore: number;
  /** increments when the positions of all items are reassigned, which expires cursors */
  orderEpoch: number;
  /** increments with every edit; the first part of the ETag */
  version: number;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
};

/** A post in a collection. */
export type CollectionItemRow = {
  /** pairId(collectionId, postId) */
  _id: Binary;
  collectionId: ObjectId;
  postId: ObjectId;
  /** see positions.ts */
  position: string;
  /** of the post; `postsCount` counts the listed ones */
  isListed: boolean;
  note: string | null;
  addedAt: Date;
};

/** The series of a post. */
export type PostSeriesRow = { _id: ObjectId; collectionId: ObjectId };

/** The order of `sort=top`. Linear: a change of counters changes it by its own score. */
export function topScore({ likesCount = 0, dislikesCount = 0, followersCount = 0 }: Partial<CollectionStats>): number {
  return likesCount - dislikesCount + followersCount;
}
