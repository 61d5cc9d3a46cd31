import type { ObjectId } from 'mongodb';
import { changedFields } from '../common/changed-fields.js';
import { slugify } from '../rendering/post-text.js';
import type { AuthorSnapshot } from '../users/author-snapshot.js';
import type { PostCollection } from './collection.schema.js';
import type { CreateCollection, UpdateCollection } from './dto/collection-input.dto.js';

/** Returns the row of a new collection. The timestamp of the id equals createdAt, so the order of ids is the order of creation. */
export function newCollection(
  id: ObjectId,
  ownerId: ObjectId,
  { snapshot, isLimited = false }: { snapshot: AuthorSnapshot; isLimited?: boolean },
  draft: CreateCollection,
): PostCollection {
  const createdAt = id.getTimestamp();
  const isPublic = draft.isPublic ?? true;
  return {
    _id: id,
    ownerId,
    ownerSnapshot: snapshot,
    title: draft.title,
    slug: slugify(draft.title, draft.kind),
    description: draft.description ?? '',
    kind: draft.kind,
    isPublic,
    isListed: isPublic && !isLimited,
    tags: draft.tags ?? [],
    thumbnailUrl: draft.thumbnailUrl ?? null,
    stats: { postsCount: 0, likesCount: 0, dislikesCount: 0, followersCount: 0 },
    topScore: 0,
    orderEpoch: 0,
    version: 1,
    createdAt,
    updatedAt: createdAt,
    deletedAt: null,
  };
}

const EDITABLE = ['title', 'description', 'tags', 'thumbnailUrl', 'isPublic'] as const;
type EditableRow = Pick<PostCollection, (typeof EDITABLE)[number] | 'kind' | 'version'>;

/** Returns the changed fields of an edit; null if nothing changes. @param isLimited whether lists omit the owner */
export function editedFields(
  row: EditableRow,
  draft: UpdateCollection,
  now: Date,
  isLimited: boolean,
): Partial<PostCollection> | null {
  const changes: Partial<PostCollection> = changedFields(row, draft, EDITABLE);
  if (changes.title !== undefined) changes.slug = slugify(changes.title, row.kind);
  if (changes.isPublic !== undefined) changes.isListed = changes.isPublic && !isLimited;
  if (Object.keys(changes).length === 0) return null;
  return { ...changes, updatedAt: now, version: row.version + 1 };
}
