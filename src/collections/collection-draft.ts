import type { ObjectId } from 'mongodb';
import { slugify } from '../posts/body/post-text.js';
import type { AuthorSnapshot } from '../users/author-snapshot.js';
import type { CollectionKind, CollectionRow } from './collection-row.js';

/** What an owner decides about a collection. */
export type CollectionDraft = {
  title: string;
  kind: CollectionKind;
  description?: string;
  isPublic?: boolean;
  tags?: string[];
  thumbnailUrl?: string | null;
};

/** The row of a new collection. The id's timestamp is the moment of creation, so that ordering by id is ordering by time. */
export function newCollection(
  id: ObjectId,
  ownerId: ObjectId,
  ownerSnapshot: AuthorSnapshot,
  draft: CollectionDraft,
): CollectionRow {
  const createdAt = id.getTimestamp();
  const isPublic = draft.isPublic ?? true;
  return {
    _id: id,
    ownerId,
    ownerSnapshot,
    title: draft.title,
    slug: slugify(draft.title, draft.kind),
    description: draft.description ?? '',
    kind: draft.kind,
    isPublic,
    isListed: isPublic,
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

type Editable = Omit<CollectionDraft, 'kind'>;
type EditableRow = Pick<CollectionRow, keyof Editable | 'kind' | 'version'>;

/** What an edit changes; null when it changes nothing. */
export function editedFields(row: EditableRow, draft: Partial<Editable>, now: Date): Partial<CollectionRow> | null {
  const changes: Partial<CollectionRow> = {};
  if (draft.title !== undefined && draft.title !== row.title) {
    changes.title = draft.title;
    changes.slug = slugify(draft.title, row.kind);
  }
  if (draft.description !== undefined && draft.description !== row.description) changes.description = draft.description;
  if (draft.tags !== undefined && draft.tags.join() !== row.tags.join()) changes.tags = draft.tags;
  if (draft.thumbnailUrl !== undefined && draft.thumbnailUrl !== row.thumbnailUrl)
    changes.thumbnailUrl = draft.thumbnailUrl;
  if (draft.isPublic !== undefined && draft.isPublic !== row.isPublic) {
    changes.isPublic = draft.isPublic;
    changes.isListed = draft.isPublic;
  }
  if (Object.keys(changes).length === 0) return null;
  return { ...changes, updatedAt: now, version: row.version + 1 };
}
