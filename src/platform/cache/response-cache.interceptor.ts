import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { BoundedMap } from '../../common/bounded.js';
import { CodedError } from '../../common/errors.js';
import { within } from '../../common/within.js';
import { AppConfig } from '../../config/app-config.js';
import type { Viewer } from '../access/viewer.js';
import { JSON_CONTENT_TYPE } from '../http/response-writer.js';
import { linkToNext, serialize } from '../http/pagination/serialized-page.js';
import { ResponseHeaders } from '../http/response-headers.js';
import { isInternal, routeOf } from '../http/request-identity.js';
import { EncodedJson, TextResponse } from '../http/text-response.js';
import { IGNORES_QUERY } from '../http/validation/query.guard.js';
import { type CacheStatus, CacheEntry, type CachePolicy } from './cache-entry.js';
import { CACHE_RULE_METADATA, type CacheRule, canonicalUrl } from './cache-rule.js';
import { EntryWriter } from './entry-writer.js';
import { recordEntry } from './internal-reads.js';
import { ListFilterPort } from './list-filter-port.js';
import { requestedForm } from './requested-form.js';
import { ResponseCache } from './response-cache.js';

type Request = FastifyRequest<{ Params: Record<string, string>; Querystring: Record<string, unknown> }> & {
  viewer?: Viewer | undefined;
};
type CachedRoute = {
  rule: CacheRule<Request>;
  /** in metrics */
  name: string;
  policy: CachePolicy;
  /** true if the response does not depend on query parameters without a rule */
  ignoresQuery: boolean;
  /** headers of all responses of the route */
  headers: Record<string, string>;
};

/** The time to load a list filter. After it, the viewer gets the list of visitors. */
const FILTER_TIMEOUT_MS = 1_000;

/** pages of viewers with a list filter, about 10 kB each */
const MAX_FILTERED_PAGES = 1_000;
type FilteredPage = { filter: object; shared: CacheEntry; entry: CacheEntry };

/** Signals that the interceptor has written the response, so that Nest sends nothing. */
const WRITTEN = of(undefined);

/**
 * Caches responses as computed for an anonymous visitor, and shares them with signed-in readers. Responses that visitors may not read, and
 * lists for viewers with a list filter, are computed for one viewer and not shared.
 */
@Injectable()
export class ResponseCacheInterceptor implements NestInterceptor {
  private readonly routes = new Map<unknown, CachedRoute>();
  private readonly filteredPages = new BoundedMap<string, FilteredPage>(MAX_FILTERED_PAGES);

  constructor(
    private readonly reflector: Reflector,
    private readonly cache: ResponseCache,
    private readonly writer: EntryWriter,
    private readonly headers: ResponseHeaders,
    private readonly filters: ListFilterPort,
    private readonly config: AppConfig,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const route = this.routes.get(context.getHandler()) ?? this.routeOf(context);
    const { rule } = route;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const path = rule.path === undefined ? request.raw.url!.split('?', 1)[0]! : rule.path(request);
    const key = path === null ? null : canonicalUrl(path, queryOf(request, route), rule);
    // Without a key, the query is invalid, and validation rejects the request.
    if (key === null) return next.handle();
    const [entry, state] = await this.find(route, key, request, next);
    this.cache.store.addAlias(request.raw.url!, entry);
    const reply = http.getResponse<FastifyReply>();
    const form = requestedForm(request.raw.rawHeaders);
    await this.writer.prepare(entry, form);
    const own = this.headers.ownOf(request, reply);
    if (isInternal(request.raw)) recordEntry(reply.raw, entry);
    this.writer.write(entry, state, form, request.raw, reply.raw, own);
    // Hijacks after the write, so that an error of the write still produces a response.
    reply.hijack();
    return WRITTEN;
  }

  private async find(
    route: CachedRoute,
    key: string,
    request: Request,
    next: CallHandler,
  ): Promise<[CacheEntry, CacheStatus]> {
    const { viewer } = request;
    const load = async (): Promise<CacheEntry> => entryOf(route, key, request, await lastValueFrom(next.handle()));
    const filter = route.rule.isFiltered && viewer !== undefined ? await this.filterOf(viewer) : null;
    if (filter !== null) return this.findFiltered(`${viewer!.id} ${viewer!.role} ${key}`, key, filter, load);
    try {
      // Computes as for an anonymous visitor, even for a signed-in reader.
      request.viewer = undefined;
      const { entry, state } = await this.cache.fetch(key, load);
      if (viewer === undefined || entry.isFor(viewer)) return [entry, state];
    } catch (error) {
      if (viewer === undefined || !(error instanceof CodedError) || error.status !== 404) throw error;
      // A viewer may read posts that visitors may not, such as their own drafts.
    }
    request.viewer = viewer;
    return [await load(), 'BYPASS'];
  }

  /** Reuses the page of the viewer while the shared page of the same URL, and so its tags, is current. */
  private async findFiltered(
    ownKey: string,
    key: string,
    filter: object,
    load: () => Promise<CacheEntry>,
  ): Promise<[CacheEntry, CacheStatus]> {
    const shared = this.cache.findFresh(key);
    const page = this.filteredPages.get(ownKey);
    if (page !== undefined && page.filter === filter && page.shared === shared) return [page.entry, 'HIT'];
    const entry = await load();
    const hasSameTags = shared !== undefined && entry.tags.join() === shared.tags.join();
    if (hasSameTags && this.cache.findFresh(key) === shared) this.filteredPages.set(ownKey, { filter, shared, entry });
    return [entry, 'BYPASS'];
  }

  private async filterOf({ id }: Viewer): Promise<object | null> {
    const known = this.filters.find(id);
    if (known !== undefined) return known;
    return (await within(FILTER_TIMEOUT_MS, this.filters.load(id)).catch(() => null)) ?? null;
  }

  private routeOf(context: ExecutionContext): CachedRoute {
    const handler = context.getHandler();
    const rule = this.reflector.get<CacheRule<Request>>(CACHE_RULE_METADATA, handler);
    const { cache } = this.config;
    const { staleMs, staleIfErrorMs } = cache;
    const policy = { freshMs: rule.freshMs?.(cache) ?? cache.feedTtlMs, staleMs, staleIfErrorMs };
    const seconds = (ms: number): number => Math.floor(ms / 1000);
    const headers = {
      ...this.headers.common,
      'content-type': JSON_CONTENT_TYPE,
      'cache-control':
        `public, max-age=0, s-maxage=${seconds(policy.freshMs)}, stale-while-revalidate=${seconds(staleMs)}, ` +
        `stale-if-error=${seconds(staleIfErrorMs)}`,
      vary: this.headers.varyWith(varyOf(rule))!,
    };
    const name = `${context.getClass().name}.${handler.name}`;
    const ignoresQuery =
      this.reflector.getAllAndOverride<boolean>(IGNORES_QUERY, [handler, context.getClass()]) ?? false;
    const route = { rule, name, policy, ignoresQuery, headers };
    this.routes.set(handler, route);
    return route;
  }
}

/** A shared cache must not serve a viewer with a list filter the list of visitors. */
function varyOf({ vary, isFiltered }: CacheRule<Request>): string {
  return ['Accept-Encoding', vary, isFiltered && 'Authorization'].filter(Boolean).join(', ');
}

/** Creates the entry of a response, with the headers of its rule. */
function entryOf(
  { rule, name, policy, headers }: CachedRoute,
  key: string,
  request: Request,
  body: unknown,
): CacheEntry {
  const feed = rule.feed?.(request);
  const own = body instanceof TextResponse ? body.headers : rule.headers?.(body);
  const alternate = feed && `<${feed}>; rel="alternate"; type="application/atom+xml"`;
  const links = [own?.['link'], linkToNext(key, body), alternate].filter(Boolean);
  const bytes = serialize(body)!;
  const entry = new CacheEntry({
    key,
    route: name,
    pattern: routeOf(request),
    body: Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes),
    headers: {
      ...headers,
      ...own,
      ...(links.length === 0 ? {} : { link: links.join(', ') }),
    },
    tags: rule.tags(request, body),
    policy,
    etagPrefix: rule.etagPrefix?.(body) ?? '',
    isFiltered: rule.isFiltered ?? false,
    ownFor: rule.ownFor?.(body) ?? [],
    // Clients rarely request deep pages again.
    storeOnSecondUse: request.query['cursor'] !== undefined,
    ...(body instanceof EncodedJson ? { encoded: [body.encoding, body.encoded] } : {}),
  });
  if (body instanceof TextResponse) entry.readAt = Math.min(entry.readAt, body.readAt);
  return entry;
}

/** Returns the parameters that the response depends on, and on a route that ignores others only the known ones. */
function queryOf({ query }: Request, { ignoresQuery, rule }: CachedRoute): Record<string, unknown> {
  if (!ignoresQuery) return query;
  return Object.fromEntries(Object.keys(rule.query ?? {}).map((name) => [name, query[name]]));
}
