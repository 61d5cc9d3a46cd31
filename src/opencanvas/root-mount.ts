import type { IncomingMessage } from 'node:http';
import { firstSegmentOf, type OpenCanvasMount, OWN_SEGMENTS } from '../config/opencanvas-mount.js';

const POST_PAGE = /^\/p\/[^/?]*(?:\?|$)/;

/**
 * The address of a request when the API is mounted at `/`: every path that is not one of the server's own leads to the API. `/p/<slug>`
 * is the page for crawlers where the client asks for HTML first, as a browser does, and otherwise the post as JSON. It is decided
 * before the response cache, whose keys are addresses.
 */
export function mountedUrl(url: string, accept: string | undefined, path: string): string {
  if (!url.startsWith('/')) return url;
  const segment = firstSegmentOf(url);
  if (`/${segment}` === path) return url;
  const isOwn = segment === 'p' ? POST_PAGE.test(url) && wantsPage(accept) : OWN_SEGMENTS.has(segment);
  return isOwn ? url : `${path}${url === '/' ? '' : url}`;
}

/** For the server: changes the address of each request. Undefined when the API is not at the root. */
export function rootMountOf({ path, isAtRoot }: OpenCanvasMount): ((request: IncomingMessage) => void) | undefined {
  if (path === undefined || !isAtRoot) return undefined;
  return (request) => {
    request.url = mountedUrl(request.url!, request.headers.accept, path);
  };
}

function wantsPage(accept = ''): boolean {
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(accept);
}
