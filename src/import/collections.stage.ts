import { pairId } from '../common/pair-id.js';
import { newCollection } from '../collections/collection-draft.js';
import type { CollectionItem } from '../collections/collection-item.schema.js';
import { COLLECTION_ITEMS, COLLECTIONS, MAX_ITEMS } from '../collections/collection-rules.js';
import { MAX_COLLECTION_TITLE, MAX_DESCRIPTION, type PostCollection } from '../collections/collection.schema.js';
import { evenPositions } from '../collections/positions.js';
import { MAX_TAGS } from '../posts/labels.dto.js';
import { changeOf, idOf, timeOf } from './clean.js';
import { truncate, normalizeLine, normalizeText, tagsOf } from '../platform/http/validation/foreign-values.js';
import type { TargetPost, TargetUser } from './target-lookup.js';
import { thumbnailOf } from './posts.stage.js';
import type { SourceRow } from './source.js';
import type { Batch, Context, Stage } from './stage.js';

export const COLLECTIONS_STAGE: Stage = {
  name: 'collections',
  collection: 'collections',
  fields: [
    ...['title', 'description', 'thumbnailUrl', 'isPrivate', 'tags', 'authorId', 'posts', 'createdAt', 'updatedAt'],
  ],
  unhashed: ['updatedAt'],
  plan: planCollections,
};

async function planCollections(rows: SourceRow[], batch: Batch, { targets, now }: Context): Promise<void> {
  const existing = await targets.collections(rows.map(({ _id }) => _id));
  const owners = await targets.users(rows.flatMap(({ authorId }) => idOf(authorId) ?? []));
  const posts = await targets.posts(rows.flatMap((row) => idsOf(row['posts'])));
  for (const row of rows) {
    const owner = owners.get(String(row['authorId']));
    const before = existing.get(row._id.toHexString());
    if (owner === undefined || owner.deletedAt !== null) batch.skip(row, 'its owner is missing');
    else if (batch.mayWrite(row, before)) {
      const collection = collectionOf(row, owner, batch, now);
      const { stats: _, topScore: _topScore, orderEpoch: _epoch, version: _version, ...set } = collection;
      if (before === undefined) batch.insert(COLLECTIONS, collection);
      else {
        const u = { $set: set, $inc: { version: 1, orderEpoch: 1 } };
        batch.update(COLLECTIONS, { q: { _id: row._id }, u });
      }
      if (before !== undefined) batch.delete(COLLECTION_ITEMS, ...(await targets.itemsOf(row._id)));
      batch.insert(COLLECTION_ITEMS, ...itemsOf(row, collection, posts, batch));
      batch.markImported(row, { updatedAt: collection.updatedAt });
    }
  }
}

function collectionOf(row: SourceRow, owner: TargetUser, batch: Batch, now: Date): PostCollection {
  const { username, fullName, profilePicture } = owner;
  const title = normalizeLine(row['title']) || 'Untitled';
  const description = normalizeText(row['description']);
  if ([...title].length > MAX_COLLECTION_TITLE || [...description].length > MAX_DESCRIPTION)
    batch.change(row, 'a long title or description, cut');
  const { tags, isChanged } = tagsOf(row['tags'], MAX_TAGS);
  if (isChanged) batch.change(row, 'tags by the tag rule');
  const createdAt = timeOf(row['createdAt'], row._id, now);
  const draft = {
    title: truncate(title, MAX_COLLECTION_TITLE),
    description: truncate(description, MAX_DESCRIPTION),
    kind: 'list' as const,
    isPublic: row['isPrivate'] !== true,
    tags,
    thumbnailUrl: thumbnailOf(row, batch),
  };
  return {
    ...newCollection(row._id, owner._id, { snapshot: { username, fullName, profilePicture } }, draft),
    createdAt,
    updatedAt: changeOf(row['updatedAt'], createdAt, now),
  };
}

/** Returns the items of posts that exist, without duplicates, in the order of the source. */
function itemsOf(
  row: SourceRow,
  { _id: collectionId, createdAt }: PostCollection,
  posts: Map<string, TargetPost>,
  batch: Batch,
): CollectionItem[] {
  const ids = new Map(idsOf(row['posts']).map((id) => [id.toHexString(), id]));
  const found = [...ids.keys()].flatMap((id) => posts.get(id) ?? []).filter(({ deletedAt }) => deletedAt === null);
  if (found.length < ids.size) batch.change(row, 'posts that are missing, left out');
  if (found.length > MAX_ITEMS) batch.change(row, `cut to ${MAX_ITEMS} posts`);
  const kept = found.slice(0, MAX_ITEMS);
  const positions = evenPositions(kept.length);
  return kept.map(({ _id: postId, isListed, createdAt: postedAt }, at) => ({
    _id: pairId(collectionId, postId),
    collectionId,
    postId,
    position: positions[at]!,
    isListed,
    note: null,
    addedAt: postedAt > createdAt ? postedAt : createdAt,
  }));
}

function idsOf(value: unknown) {
  return Array.isArray(value) ? value.flatMap((id: unknown) => idOf(id) ?? []) : [];
}
