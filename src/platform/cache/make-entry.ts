import { nextCursorOf, nextPageLink } from '../http/pagination/page-link.js';
import { SerialisedPage } from '../http/pagination/serialised-page.js';
import { CacheEntry } from './cache-entry.js';
import type { CachePolicy } from './cache-policy.js';
import type { CacheRule } from './cache-rule.js';

type EntrySource<Request> = {
  rule: CacheRule<Request>;
  key: string;
  /** the handler's name, for metrics */
  handler: string;
  policy: CachePolicy;
  /** headers that hold for every client */
  shared: Record<string, string>;
  request: Request & { query: unknown };
  /** what the handler returned */
  body: unknown;
};

/** The entry that an answer is stored and sent as, with every header that follows from its rule. */
export function makeEntry<Request>({
  rule,
  key,
  handler,
  policy,
  shared,
  request,
  body,
}: EntrySource<Request>): CacheEntry {
  const headers = { ...shared, ...rule.headers?.(body) };
  const cursor = nextCursorOf(body);
  if (typeof cursor === 'string') headers['link'] = nextPageLink(key, cursor);
  return new CacheEntry({
    key,
    route: handler,
    status: 200,
    body: bytesOf(body),
    headers,
    tags: rule.tags(request, body),
    policy,
    etagPrefix: rule.etagPrefix?.(body) ?? '',
    // whoever pages deep is nearly always alone there
    isRare: (request.query as Record<string, unknown>)['cursor'] !== undefined,
  });
}

function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  if (body instanceof SerialisedPage) return body.json;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
