import type { AppConfig } from '../../config/app-config.js';

export const CACHE_RULE_METADATA = 'opencanvas:cache';

export type CacheRule<Request = unknown, Body = unknown> = {
  /** how long a response is fresh, if it differs from the default */
  freshMs?: (cache: AppConfig['cache']) => number;
  /** the query parameters of the route, with their defaults ('' = absent); requests with other parameters are not cached */
  query?: Record<string, string>;
  /** parameters whose empty value equals an absent one */
  maybeEmpty?: string[];
  /** case-insensitive parameters */
  lowerCase?: string[];
  /** Returns the tags of the response. Invalidating a tag removes the response. `body` is the result of the handler. */
  tags: (request: Request, body: Body) => string[];
  /** Returns the canonical path, if several paths return the same response. Returns null if the route does not accept the path. */
  path?: (request: Request) => string | null;
  /** a list that omits content for some viewers (ListFilterPort); their responses are computed for them alone */
  isFiltered?: true;
  /** Returns the accounts that read more than the response has. They get a response of their own, as do all moderators. */
  ownFor?: (body: Body) => readonly string[];
  /** a request header, in addition to Accept-Encoding, that selects another resource at the same URL */
  vary?: string;
  /** Returns headers computed from the response alone, lower-case names. */
  headers?: (body: Body) => Record<string, string>;
  /** Returns the URL of an Atom feed with the same posts, for a Link header. */
  feed?: (request: Request) => string | undefined;
  /** Returns the prefix of the ETag. */
  etagPrefix?: (body: Body) => string;
};

/** Returns the cache key of a page: its URL without default parameters. Returns null if the route does not accept the query. */
export function canonicalUrl(
  path: string,
  query: Record<string, unknown>,
  rule: Pick<CacheRule, 'query' | 'lowerCase' | 'maybeEmpty'>,
): string | null {
  const known = rule.query ?? {};
  for (const name in query) if (!Object.hasOwn(known, name)) return null;
  let search = '';
  for (const name in known) {
    const given = query[name];
    if (given === undefined || (given === '' && rule.maybeEmpty?.includes(name) === true)) continue;
    // Validation rejects an empty value, so the value must not share the key of the page without the parameter.
    if (typeof given !== 'string' || given === '') return null;
    const value = rule.lowerCase?.includes(name) ? given.toLowerCase() : given;
    if (value !== known[name]) search += `${search === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return path + search;
}
