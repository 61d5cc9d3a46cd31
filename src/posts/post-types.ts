/** The kinds of post, in the order the product lists them. */
export const POST_TYPES = ['research-paper', 'article', 'poem', 'story', 'book', 'written'] as const;
export type PostType = (typeof POST_TYPES)[number];
