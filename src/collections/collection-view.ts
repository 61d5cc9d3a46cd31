import { EXAMPLE } from '../common/examples.js';
import { publicUrl } from '../common/own-files.js';
import { toRemoval } from '../moderation/removal.dto.js';
import { SluggedResource, type Versioned, withVersion } from '../posts/slugged-resource.js';
import { toAuthor } from '../users/author-snapshot.js';
import type { PostCollection } from './collection.schema.js';
import type { CollectionDto } from './collection.dto.js';

/** Stored fields of a response. */
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
  removal: 1,
} as const satisfies Partial<Record<keyof PostCollection, 1>>;

export type CollectionViewRow = Pick<PostCollection, '_id' | keyof typeof COLLECTION_PROJECTION>;

export const COLLECTION_RESOURCE = new SluggedResource(
  '/v1/collections',
  'a collection',
  `looms-and-engines-${EXAMPLE.collectionId}`,
);

/** A collection in every response. */
export type CollectionJson = Versioned<CollectionDto>;

export function toCollection(row: CollectionViewRow): CollectionJson {
  const id = row._id.toHexString();
  const { postsCount, likesCount, dislikesCount, followersCount } = row.stats;
  const json = {
    id,
    slug: `${row.slug}-${id}`,
    kind: row.kind,
    title: row.title,
    description: row.description,
    isPublic: row.isPublic,
    tags: row.tags,
    thumbnailUrl: publicUrl(row.thumbnailUrl),
    owner: toAuthor(row.ownerId, row.ownerSnapshot),
    stats: { postsCount, likesCount, dislikesCount, followersCount },
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    ...(row.removal && { removal: toRemoval(row.removal) }),
  };
  return withVersion(json, row.version);
}
