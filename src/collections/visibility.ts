import type { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { notOwner } from '../moderation/not-owner.js';
import { hasRole, type ViewerClaims } from '../platform/access/viewer.js';
import type { PostCollection } from './collection.schema.js';

/** Fields that the read rule needs. */
export type CollectionVisibility = Pick<PostCollection, 'ownerId' | 'isPublic' | 'deletedAt'>;
export const VISIBILITY_FIELDS = { ownerId: 1, isPublic: 1, deletedAt: 1 } as const satisfies Record<
  keyof CollectionVisibility,
  1
>;

/** Everyone may read a public collection, only its owner a private one, and no viewer a deleted one. */
export function canRead<Collection extends CollectionVisibility>(
  collection: Collection | null | undefined,
  readerId: ObjectId | string | undefined,
): collection is Collection {
  if (collection === null || collection === undefined || collection.deletedAt !== null) return false;
  return collection.isPublic || (readerId !== undefined && collection.ownerId.equals(readerId));
}

/** Moderators can also see private collections, because they may act on them. */
export function canSee<Collection extends CollectionVisibility>(
  collection: Collection | null | undefined,
  viewer: ViewerClaims | null,
): collection is Collection {
  if (collection?.deletedAt === null && viewer !== null && hasRole(viewer, 'moderator')) return true;
  return canRead(collection, viewer?.id);
}

/** @throws CodedError `collection_not_found` */
export function requireVisible<Collection extends CollectionVisibility>(
  collection: Collection | null | undefined,
  viewer: ViewerClaims | null,
): Collection {
  if (!canSee(collection, viewer)) throw collectionNotFound();
  return collection;
}

/** @throws CodedError `collection_not_found`; `forbidden` for a visible collection of another account */
export function requireOwn<Collection extends CollectionVisibility>(
  collection: Collection | null | undefined,
  viewer: ViewerClaims,
): Collection {
  const found = requireVisible(collection, viewer);
  if (!found.ownerId.equals(viewer.id)) throw notOwner(viewer, 'Only the owner can change this collection.');
  return found;
}

export function collectionNotFound(): CodedError {
  return new CodedError('collection_not_found', 'Collection not found.');
}
