import { EXAMPLE } from '../common/examples.js';
import { SluggedResource, type Versioned, withVersion } from '../platform/http/slugged-resource.js';
import { CARD_PROJECTION, type PostCardRow } from './card/card-fields.js';
import { type PostCard, toPostCard } from './card/post-card.js';
import type { Post } from './post.schema.js';

export const POST_RESOURCE = new SluggedResource(
  '/v1/posts',
  'a post',
  `notes-on-the-analytical-engine-${EXAMPLE.postId}`,
);

/** One post with its Markdown. */
export type PostJson = Versioned<
  PostCard & { content: string; canonicalUrl: string | null; isLocked: boolean; isHistoryPublic: boolean }
>;

export type PostViewRow = PostCardRow & Pick<Post, 'version' | 'canonicalUrl' | 'isLocked' | 'isHistoryPublic'>;
export const POST_PROJECTION = {
  ...CARD_PROJECTION,
  version: 1,
  canonicalUrl: 1,
  isLocked: 1,
  isHistoryPublic: 1,
} as const;

export function toPost(row: PostViewRow, content: string): PostJson {
  const { canonicalUrl = null, isLocked, isHistoryPublic, version } = row;
  return withVersion({ ...toPostCard(row), content, canonicalUrl, isLocked, isHistoryPublic }, version);
}
