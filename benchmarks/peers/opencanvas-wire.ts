import { toOpenCanvasCard } from '../../src/opencanvas/opencanvas-post.js';
import type { PostCard } from '../../src/posts/card/post-card.js';
import type { cardJson } from './wire.js';

/** Default limit of OpenCanvas. */
export const ARTICLES_LIMIT = 10;
export const WELCOME = { success: true, message: 'Welcome to OpenCanvas API' };

/** Returns a page of a peer's feed as OpenCanvas responds to `GET /articles`. */
export function toArticles({
  data,
  page,
}: {
  data: ReturnType<typeof cardJson>[];
  page: { nextCursor: string | null };
}) {
  return {
    success: true,
    results: data.length,
    data: data.map((card) => toOpenCanvasCard(card as unknown as PostCard)),
    nextCursor: page.nextCursor,
    hasMore: page.nextCursor !== null,
  };
}
