import { namedValues } from '../common/named-values.js';

/** The kinds of post, in the order the product lists them. */
export const POST_TYPES = namedValues('PostType', ['research-paper', 'article', 'poem', 'story', 'book', 'written']);
export type PostType = (typeof POST_TYPES)[number];

export const VISIBILITIES = namedValues('Visibility', ['public', 'unlisted', 'private']);
/** Public posts are in lists, unlisted posts are readable by their address only, and private posts by their author only. */
export type Visibility = (typeof VISIBILITIES)[number];
