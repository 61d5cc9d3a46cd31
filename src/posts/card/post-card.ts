import { toAuthor } from '../../users/author-snapshot.js';
import { type PostRow, POSTS } from '../post-row.js';
import type { PostCardDto } from './post-card.dto.js';

/** What of a card stands in the answer as it is stored, in the order of the answer. */
export const PLAIN_CARD_FIELDS = [
  'type',
  'title',
  'tags',
  'contentPreview',
  'readTime',
  'thumbnailUrl',
  'isPublic',
  'isPremium',
  'isEdited',
] as const satisfies readonly (keyof PostRow)[];

/** The fields of a post that a card is made of: what a list reads, and nothing else. */
export const CARD_FIELDS = [
  ...PLAIN_CARD_FIELDS,
  '_id',
  'slug',
  'authorId',
  'authorSnapshot',
  'stats',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof PostRow)[];

type CardField = (typeof CARD_FIELDS)[number];
export type PostCardRow = Pick<PostRow, CardField>;

export const CARD_PROJECTION = Object.fromEntries(CARD_FIELDS.map((field) => [field, 1])) as Record<CardField, 1>;

/** The collection that cards are read from. */
export const CARDS = POSTS;

/** A post as every list shows it. */
export type PostCard = PostCardDto;

/** The card of a row that was read as an object; `card-json.ts` writes the same bytes from BSON, and a test holds the two equal. */
export function toPostCard(row: PostCardRow): PostCard {
  const id = row._id.toHexString();
  const { stats } = row;
  return {
    id,
    // the address people see; the id alone decides
    slug: `${row.slug}-${id}`,
    type: row.type,
    title: row.title,
    tags: row.tags,
    contentPreview: row.contentPreview,
    readTime: row.readTime,
    thumbnailUrl: row.thumbnailUrl,
    isPublic: row.isPublic,
    isPremium: row.isPremium,
    isEdited: row.isEdited,
    author: toAuthor(row.authorId, row.authorSnapshot),
    stats: {
      viewsCount: stats.viewsCount,
      readsCount: stats.readsCount,
      likesCount: stats.likesCount,
      dislikesCount: stats.dislikesCount,
      sharesCount: stats.sharesCount,
      commentsCount: stats.commentsCount,
    },
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
