import type { AppConfig } from '../../config/app-config.js';

export const CACHE_RULE_METADATA = 'opencanvas:cache';

export type CacheRule<Request = unknown, Body = unknown> = {
  /** the fresh time, if it differs from the default */
  freshMs?: (cache: AppConfig['cache']) => number;
  /** the query parameters of the route, with their defaults ('' = absent); requests with others are not cached */
  query?: Record<string, string>;
  /** parameters that the route accepts empty, as if they were missing */
  maybeEmpty?: string[];
  /** case-insensitive parameters */
  lowerCase?: string[];
  /** the tags of the response: a change of one of them changes the response; `body` is the result of the handler */
  tags: (request: Request, body: Body) => string[];
  /** the canonical path, where several lead to the same response; null: the route does not accept the path */
  path?: (request: Request) => string | null;
  /** a request header, besides Accept-Encoding, by which the URL leads to another resource */
  vary?: string;
  /** headers computed from the response alone, lower-case names */
  headers?: (body: Body) => Record<string, string>;
  /** the URL of an Atom feed with the same posts, for a Link header */
  feed?: (request: Request) => string | undefined;
  /** the prefix of the ETag */
  etagPrefix?: (body: Body) => string;
};

/** The canonical key of all spellings of a page, without defaults; null when the route does not accept the query. */
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
    // an empty value is rejected, so it must not share the key of the page without the parameter
    if (typeof given !== 'string' || given === '') return null;
    const value = rule.lowerCase?.includes(name) ? given.toLowerCase() : given;
    if (value !== known[name]) search += `${search === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return path + search;
}
