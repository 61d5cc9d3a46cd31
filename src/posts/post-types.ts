/** The kinds of post, in the order the product lists them. */
export const POST_TYPES = ['research-paper', 'article', 'poem', 'story', 'book', 'written'] as const;
export type PostType = (typeof POST_TYPES)[number];

export const VISIBILITIES = ['public', 'unlisted', 'private'] as const;
/** Public posts are in lists, unlisted posts are readable by their address only, and private posts by their author only. */
export type Visibility = (typeof VISIBILITIES)[number];
