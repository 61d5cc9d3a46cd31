import type { IncomingMessage } from 'node:http';
import { firstSegmentOf, type OpenCanvasMount, OWN_SEGMENTS } from '../config/opencanvas-mount.js';

const POST_PAGE = /^\/p\/[^/?]*(?:\?|$)/;

/**
 * Rewrites a URL if the API is mounted at `/`: all paths that this server does not own map to the API. `/p/<slug>` is the crawler page if
 * the client prefers HTML, as browsers do, and otherwise the post as JSON. Runs before the response cache, which is keyed by URL.
 */
export function mountedUrl(url: string, accept: string | undefined, path: string): string {
  if (!url.startsWith('/')) return url;
  const segment = firstSegmentOf(url);
  if (`/${segment}` === path) return url;
  const isOwn = segment === 'p' ? POST_PAGE.test(url) && wantsPage(accept) : OWN_SEGMENTS.has(segment);
  return isOwn ? url : `${path}${url === '/' ? '' : url}`;
}

/** Returns a hook that rewrites the URL of each request; undefined if the API is not mounted at the root. */
export function rootMountOf({ path, isAtRoot }: OpenCanvasMount): ((request: IncomingMessage) => void) | undefined {
  if (path === undefined || !isAtRoot) return undefined;
  return (request) => {
    request.url = mountedUrl(request.url!, request.headers.accept, path);
  };
}

function wantsPage(accept = ''): boolean {
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(accept);
}
