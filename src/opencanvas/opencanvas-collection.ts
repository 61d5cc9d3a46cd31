import type { CollectionDto } from '../collections/collection.dto.js';

/** Converts a collection to the fields of OpenCanvas. @param posts ids of its posts, if the client counts them */
export function toOpenCanvasCollection(collection: CollectionDto, posts?: string[]) {
  const { likesCount, dislikesCount } = collection.stats;
  return {
    _id: collection.id,
    title: collection.title,
    description: collection.description,
    thumbnailUrl: collection.thumbnailUrl ?? '',
    isPrivate: !collection.isPublic,
    tags: collection.tags,
    authorId: collection.owner.id,
    ...(posts === undefined ? {} : { posts }),
    stats: { likesCount, dislikesCount, viewsCount: 0 },
    createdAt: collection.createdAt,
    updatedAt: collection.updatedAt,
  };
}
