import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, type Type } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { createRequestId } from '../http/request-id.js';
import { MAX_LIMIT } from '../http/page.query.js';
import { rateLimitHeaders } from '../http/rate-limit.hook.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { serverTiming } from '../http/server-timing.js';
import { observeRequest } from '../observability/http-metrics.js';
import { REVALIDATION_FAILED } from './cache-entry.js';
import { type CachePolicy, cachePolicies } from './cache-policies.js';
import { CACHE_RULE_METADATA, type CacheRule, canonicalUrl } from './cache-rule.js';
import { isPlainRead } from './door.js';
import { makeEntry } from './make-entry.js';
import { type Looked, ResponseCache } from './response-cache.js';

/** The parameters of a list in their plainest spelling. */
export type PlainPage = { limit?: string; cursor?: string };

/** One request, as the route's handler would get it. */
export type ShortRead = {
  params: Record<string, string>;
  query: Record<string, string | undefined>;
  /** what the handler does, without a viewer */
  load: () => Promise<unknown>;
};

export type ShortRoute<Controller> = {
  controller: Type<Controller>;
  /** the handler's name; it is a cached one */
  method: keyof Controller & string;
  /** the pattern of the route, for metrics */
  pattern: string;
  /** null: not this route, or a form of it that only the framework knows */
  match: (path: string, page: PlainPage) => ShortRead | null;
};

type Route = Pick<ShortRoute<unknown>, 'pattern' | 'match'> & {
  /** as the cache interceptor names it: `FeedController.listFeed` */
  handler: string;
  rule: CacheRule<{ params: Record<string, string> }>;
};

const LIMIT = /^[1-9]\d{0,2}$/;
const CURSOR = /^[A-Za-z0-9_-]{48}$/;

/**
 * Plain anonymous reads of cached routes that no entry answers: computed and written on the raw listener, through the same cache,
 * rules, limits and counters as in the framework, without its pipeline, which costs more than the page itself
 * (docs/performance/short-way.md). Whatever is not plain goes on to the framework, and so does every failure: one place shapes errors.
 */
@Injectable()
export class ShortWay {
  private readonly routes: Route[] = [];
  /** headers that the framework gave the first answer of each route, the same for every client */
  private readonly shared = new Map<string, Record<string, string>>();
  private readonly failures = new WeakMap<IncomingMessage, unknown>();
  private readonly policies: Record<string, CachePolicy>;
  private readonly hasProxies: boolean;
  readonly counts = { answered: 0, failed: 0 };

  constructor(
    private readonly cache: ResponseCache,
    private readonly limiter: RateLimiter,
    config: AppConfig,
  ) {
    this.policies = cachePolicies(config.cache);
    this.hasProxies = config.http.trustedProxies.length > 0;
  }

  add<Controller>({ controller, method, pattern, match }: ShortRoute<Controller>): void {
    const rule = Reflect.getMetadata(
      CACHE_RULE_METADATA,
      (controller.prototype as Record<string, object>)[method]!,
    ) as Route['rule'];
    this.routes.push({ handler: `${controller.name}.${method}`, rule, pattern, match });
  }

  /** The interceptor tells what the framework adds to answers of a route; before that the route has no short way. */
  learn(handler: string, headers: Record<string, string>): void {
    if (!this.shared.has(handler)) this.shared.set(handler, headers);
  }

  /** What went wrong with a request that was handed on, for the framework to answer. */
  failureOf(request: IncomingMessage): unknown {
    return this.failures.get(request);
  }

  /** True when the request is answered here, or handed `onward` after a failure. */
  take(request: IncomingMessage, response: ServerResponse, onward: () => void): boolean {
    if (!isPlainRead(request) || (this.hasProxies && request.headers['x-forwarded-for'] !== undefined)) return false;
    const [path, search] = splitUrl(request.url!);
    const page = parsePage(search);
    if (page === null) return false;
    for (const route of this.routes) {
      const shared = this.shared.get(route.handler);
      const read = shared && route.match(path, page);
      if (!read) continue;
      const key = canonicalUrl(route.rule.path?.(read) ?? path, read.query, route.rule);
      if (key === null) return false;
      const headers = this.admit(request);
      if (headers === null) return false;
      void this.answer(route, read, key, shared, headers, request, response).catch((error: unknown) => {
        this.counts.failed++;
        this.failures.set(request, error);
        onward();
      });
      return true;
    }
    return false;
  }

  /** The rate limit's headers, or null when the framework has to refuse. */
  private admit(request: IncomingMessage): string[] | null {
    if (!this.limiter.isEnabled) return [];
    const verdict = this.limiter.takeOnce(request, 'reads', null, request.socket.remoteAddress ?? '');
    return verdict.isAllowed ? rateLimitHeaders(verdict) : null;
  }

  private async answer(
    route: Route,
    read: ShortRead,
    key: string,
    shared: Record<string, string>,
    limits: string[],
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const startedAt = performance.now();
    const policy = this.policies[route.rule.policy]!;
    const looked: Looked = await this.cache.fetch(key, async () => {
      const body = await read.load();
      return makeEntry({ ...route, key, policy, shared, request: read, body });
    });
    const { entry, state } = looked;
    if (entry.isLive) this.cache.store.addAlias(request.url!, entry);
    const { fields, body } = entry.identity;
    const headers = Object.entries(fields).flat();
    const ms = performance.now() - startedAt;
    headers.push('x-cache', state === 'ERROR' ? 'STALE' : state);
    if (state === 'ERROR') headers.push('warning', REVALIDATION_FAILED);
    headers.push('x-request-id', createRequestId(request), 'server-timing', serverTiming(response, ms), ...limits);
    this.counts.answered++;
    response.writeHead(entry.status, headers);
    response.end(body);
    observeRequest('GET', route.pattern, entry.status, ms);
  }
}

function splitUrl(url: string): [path: string, search: string] {
  const at = url.indexOf('?');
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

/** Each parameter once at most, as the API writes it; null for anything else. */
function parsePage(search: string): PlainPage | null {
  const page: PlainPage = {};
  if (search === '') return page;
  for (const part of search.split('&')) {
    const at = part.indexOf('=');
    const name = part.slice(0, at);
    const value = part.slice(at + 1);
    if (name === 'limit' && page.limit === undefined && LIMIT.test(value) && Number(value) <= MAX_LIMIT)
      page.limit = value;
    else if (name === 'cursor' && page.cursor === undefined && CURSOR.test(value)) page.cursor = value;
    else return null;
  }
  return page;
}
