import type { AppConfig } from '../../config/app-config.js';

export const CACHE_RULE_METADATA = 'opencanvas:cache';

export type CacheRule<Request = unknown, Body = unknown> = {
  /** how long the response is fresh, where that is not the usual time */
  freshMs?: (cache: AppConfig['cache']) => number;
  /** the query parameters the route knows, with their defaults ('' = absent); requests with any other are not cached */
  query?: Record<string, string>;
  /** parameters whose spelling does not matter */
  lowerCase?: string[];
  /** the tags of the response: a change of one of them changes the response; `body` is the result of the handler */
  tags: (request: Request, body: Body) => string[];
  /** the canonical path, where several lead to the same response; null: the route does not accept the path */
  path?: (request: Request) => string | null;
  /** headers that follow from the response alone, lower-case names */
  headers?: (body: Body) => Record<string, string>;
  /** the address of an Atom feed with the same posts, which the response links to */
  feed?: (request: Request) => string | undefined;
  /** opens the ETag */
  etagPrefix?: (body: Body) => string;
};

/** One key for all spellings of a page, defaults left out; null when the query is not one the route accepts. */
export function canonicalUrl(
  path: string,
  query: Record<string, unknown>,
  rule: Pick<CacheRule, 'query' | 'lowerCase'>,
): string | null {
  const known = rule.query ?? {};
  for (const name in query) if (!Object.hasOwn(known, name)) return null;
  let search = '';
  for (const name in known) {
    const given = query[name];
    if (given === undefined) continue;
    // an empty value is refused, so it may not stand for the page without the parameter
    if (typeof given !== 'string' || given === '') return null;
    const value = rule.lowerCase?.includes(name) ? given.toLowerCase() : given;
    if (value !== known[name]) search += `${search === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return path + search;
}
