import * as z from 'zod';

/** First path segments of this server's own routes, which the OpenCanvas API never takes. */
export const OWN_SEGMENTS = new Set([
  ...['v1', 'docs', 'openapi.json', 'health', 'metrics'],
  ...['robots.txt', 'sitemap.xml', 'sitemaps', 'p'],
  // src/site/frame-paths.ts
  ...['assets', 'forgot-password', 'reset-password', 'confirm-email', 'undo-email', 'appeal', 'export', 'exports'],
  ...['notifications', 'moderation', 'write', 'drafts', 'shared-drafts', 'following', 'saved-posts', 'settings'],
  ...['sign-in', 'register', 'welcome', 'site-settings', 'operations', 'stats', 'for-you'],
]);

/** Prefix of the routes if the API is mounted at `/`. */
const PATH_OF_ROOT = '/oc';

/** `/`, or a path of lower-case segments that begins with none of the server's own. */
export const openCanvasPath = z
  .string()
  .regex(/^\/(?:[a-z0-9-]+(?:\/[a-z0-9-]+)*)?$/, 'must be / or a path such as /oc')
  .refine((path) => !OWN_SEGMENTS.has(firstSegmentOf(path)), 'must not begin with an address of this server')
  .optional();

/** `path`: prefix of the routes, undefined if the API is off. `isAtRoot`: the API is at `/` as well. */
export type OpenCanvasMount = { path: string | undefined; isAtRoot: boolean };

export function openCanvasMountOf(path: string | undefined): OpenCanvasMount {
  const isAtRoot = path === '/';
  return { path: isAtRoot ? PATH_OF_ROOT : path, isAtRoot };
}

/** The segment after the first slash, which may be empty. */
export function firstSegmentOf(url: string): string {
  return url.slice(1).split(/[/?]/, 1)[0]!;
}
