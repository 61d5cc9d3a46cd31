import { versionedEtag } from '../platform/http/if-match.js';
import { toAuthor } from '../users/author-snapshot.js';
import type { CollectionRow } from './collection-row.js';
import type { CollectionDto } from './dto/collection.dto.js';

/** The stored fields that an answer is made from. */
export const COLLECTION_PROJECTION = {
  ownerId: 1,
  ownerSnapshot: 1,
  title: 1,
  slug: 1,
  description: 1,
  kind: 1,
  isPublic: 1,
  tags: 1,
  thumbnailUrl: 1,
  stats: 1,
  version: 1,
  createdAt: 1,
  updatedAt: 1,
} as const satisfies Partial<Record<keyof CollectionRow, 1>>;

export type CollectionViewRow = Pick<CollectionRow, '_id' | keyof typeof COLLECTION_PROJECTION>;

/** For the ETag and not for the body, and so under a symbol, which JSON leaves out. */
const VERSION = Symbol('collection version');

/** A collection as every answer shows it. */
export type CollectionJson = CollectionDto & { [VERSION]: number };

export function toCollection(row: CollectionViewRow): CollectionJson {
  const id = row._id.toHexString();
  const { postsCount, likesCount, dislikesCount, followersCount } = row.stats;
  return {
    id,
    slug: `${row.slug}-${id}`,
    kind: row.kind,
    title: row.title,
    description: row.description,
    isPublic: row.isPublic,
    tags: row.tags,
    thumbnailUrl: row.thumbnailUrl,
    owner: toAuthor(row.ownerId, row.ownerSnapshot),
    stats: { postsCount, likesCount, dislikesCount, followersCount },
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    [VERSION]: row.version,
  };
}

export function collectionPath({ slug }: CollectionDto): string {
  return `/v1/collections/${slug}`;
}

/** Where the collection lives, for an answer that was asked for under its id or an older slug. */
export function collectionHeaders(collection: CollectionDto): Record<string, string> {
  const path = collectionPath(collection);
  return { 'content-location': path, link: `<${path}>; rel="canonical"` };
}

/** `<version>-` opens every ETag of a collection. */
export function etagPrefix(collection: CollectionJson): string {
  return `${collection[VERSION]}-`;
}

/** The ETag that GET answers for the same representation. */
export function collectionEtag(collection: CollectionJson): string {
  return versionedEtag(collection[VERSION], collection);
}
