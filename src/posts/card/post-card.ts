import { publicUrl } from '../../common/own-files.js';
import { toImageJson } from '../../media/responsive-image.js';
import { toAuthor } from '../../users/author-snapshot.js';
import type { Post } from '../post.schema.js';
import { POSTS } from '../post-counters.js';
import type { PostCardDto } from './post-card.dto.js';

/** A post in lists. */
export type PostCard = PostCardDto;

/** The card fields that the response contains unchanged, in its order. */
export const PLAIN_CARD_FIELDS = [
  'type',
  'title',
  'subtitle',
  'tags',
  'contentPreview',
  'readTime',
  'isPublic',
  'isEdited',
] as const satisfies readonly (keyof Post & keyof PostCard)[];

/** The fields of a post that lists read. */
export const CARD_FIELDS = [
  ...PLAIN_CARD_FIELDS,
  '_id',
  'slug',
  'thumbnailUrl',
  'thumbnail',
  'authorId',
  'authorSnapshot',
  'stats',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof Post)[];

type CardField = (typeof CARD_FIELDS)[number];
export type PostCardRow = Pick<Post, CardField>;

export const CARD_PROJECTION = Object.fromEntries(CARD_FIELDS.map((field) => [field, 1])) as Record<CardField, 1>;

/** The collection that cards are read from. */
export const CARDS = POSTS;

export const SUMMARY_FIELDS = {
  slug: 1,
  title: 1,
  subtitle: 1,
  tags: 1,
  contentPreview: 1,
  isPublic: 1,
  authorId: 1,
} as const;
export type PostSummaryRow = Pick<PostCardRow, '_id' | keyof typeof SUMMARY_FIELDS>;

/** Returns what filters read, and what other lists show of a post. */
export function toPostSummary({ _id, slug, authorId, subtitle = null, ...row }: PostSummaryRow) {
  const { title, tags, contentPreview, isPublic } = row;
  const [id, author] = [_id.toHexString(), { id: authorId.toHexString() }];
  return { id, slug: `${slug}-${id}`, title, subtitle, tags, contentPreview, isPublic, author };
}

export type PostSummary = ReturnType<typeof toPostSummary>;

/** Converts a row to a card. `card-json.ts` writes the same bytes from BSON, and a test compares both. */
export function toPostCard(row: PostCardRow): PostCard {
  const id = row._id.toHexString();
  const { stats } = row;
  return {
    id,
    // The slug makes the URL readable. Only the id identifies the post.
    slug: `${row.slug}-${id}`,
    type: row.type,
    title: row.title,
    subtitle: row.subtitle ?? null,
    tags: row.tags,
    contentPreview: row.contentPreview,
    readTime: row.readTime,
    isPublic: row.isPublic,
    isEdited: row.isEdited,
    thumbnailUrl: publicUrl(row.thumbnailUrl),
    thumbnail: row.thumbnail ? toImageJson(row.thumbnail) : null,
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
