import type { Post } from '../post.schema.js';
import { POSTS } from '../post-counters.js';

/** The card fields that the response contains unchanged, in its order. */
export const PLAIN_CARD_FIELDS = [
  'type',
  'title',
  'tags',
  'contentPreview',
  'readTime',
  'isPublic',
  'isEdited',
] as const satisfies readonly (keyof Post)[];

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
