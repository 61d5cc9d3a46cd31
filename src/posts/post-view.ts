import { CARD_PROJECTION, type PostCardRow } from './card/card-fields.js';
import { type PostCard, toPostCard } from './card/post-card.js';
import { versionedEtag } from '../platform/http/if-match.js';
import type { PostRow } from './post-row.js';

/** The version of the row an answer was made from: for its ETag, not for its body, and so under a symbol that JSON leaves out. */
const POST_VERSION = Symbol('post version');

/** One post with its Markdown. */
export type Post = PostCard & { content: string; isLocked: boolean; [POST_VERSION]: number };

export type PostViewRow = PostCardRow & Pick<PostRow, 'version' | 'isLocked'>;
export const POST_PROJECTION = { ...CARD_PROJECTION, version: 1, isLocked: 1 } as const;

export function toPost(row: PostViewRow, content: string): Post {
  return { ...toPostCard(row), content, isLocked: row.isLocked ?? false, [POST_VERSION]: row.version };
}

export function postPath(post: Pick<PostCard, 'slug'>): string {
  return `/v1/posts/${post.slug}`;
}

/** Where the post lives, for an answer that was asked for under its id or an older slug. */
export function postHeaders(post: Post): Record<string, string> {
  return { 'content-location': postPath(post), link: `<${postPath(post)}>; rel="canonical"` };
}

/** `<version>-` opens every ETag of a post. */
export function etagPrefix(post: Post): string {
  return `${post[POST_VERSION]}-`;
}

/** The ETag that GET answers for the same representation. */
export function postEtag(post: Post): string {
  return versionedEtag(post[POST_VERSION], post);
}
