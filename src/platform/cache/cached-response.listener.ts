import type { IncomingMessage, ServerResponse } from 'node:http';
import { AccessTokenService } from '../access/access-token.service.js';
import { acceptedRequestId } from '../http/request-identity.js';
import type { RequestLog } from '../http/request-log.js';
import { countResponse } from '../http/write-response.js';
import type { CacheStatus, CacheEntry } from './cache-entry.js';
import { EntryWriter } from './entry-writer.js';
import { ListFilterPort } from './list-filter-port.js';
import { requestedForm, type RequestedForm } from './requested-form.js';
import { ResponseCache } from './response-cache.js';

/**
 * Serves cache hits in the raw node:http listener, without the cost of the framework. All entries are public; signed-in readers get
 * them marked private, after their token is verified. Viewers with a list filter, or an unknown one, get lists from the framework.
 */
export class CachedResponseListener {
  readonly counts = { hits: 0, stale: 0, staleOnError: 0 };
  readonly hitsByRoute = new Map<string, number>();

  constructor(
    private readonly cache: ResponseCache,
    private readonly writer: EntryWriter,
    private readonly tokens: AccessTokenService,
    private readonly filters: ListFilterPort,
  ) {}

  /** Returns true if it has sent a response. */
  tryHandle(request: IncomingMessage, response: ServerResponse): boolean {
    const entry = this.find(request);
    if (entry === undefined) return false;
    const now = performance.now();
    if (!this.cache.store.trusts(entry.readAt, now)) return false;
    let state: CacheStatus = 'HIT';
    if (now >= entry.freshUntil) {
      // The first request after the fresh period computes the next response. Later requests get the stale response here.
      if (now >= entry.staleUntil || !this.cache.isLoading(entry.key)) return false;
      state = 'STALE';
    }
    const form = requestedForm(request.rawHeaders);
    if (!this.canRespond(entry, form)) return false;
    if (state === 'STALE') this.counts.stale++;
    else this.counts.hits++;
    this.write(entry, state, form, request, response);
    return true;
  }

  /** Sends the stale-if-error response instead of a 503. Returns false if the cache has none. */
  serveStaleOnError(request: IncomingMessage, response: ServerResponse): boolean {
    const entry = this.find(request);
    const now = performance.now();
    if (entry === undefined || now >= entry.errorUntil) return false;
    const form = requestedForm(request.rawHeaders);
    // A list filter cannot be loaded from an overloaded server.
    if (!this.canRespond(entry, form, false)) return false;
    this.counts.staleOnError++;
    const isStale = now < entry.staleUntil && this.cache.store.trusts(entry.readAt, now);
    this.write(entry, isStale ? 'STALE' : 'ERROR', form, request, response);
    return true;
  }

  /**
   * Whether the request revalidates an entry that is still served. The limiter admits one such request per entry under overload,
   * because otherwise popular entries would expire.
   */
  isRenewal(request: IncomingMessage): boolean {
    if (request.method !== 'GET') return false;
    const entry = this.find(request);
    if (entry === undefined || performance.now() >= entry.staleUntil || this.cache.isLoading(entry.key)) return false;
    return this.canRespond(entry, requestedForm(request.rawHeaders));
  }

  private find({ method, url }: IncomingMessage): CacheEntry | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    return this.cache.store.getByUrl(url!);
  }

  /** @param isUnknownFiltered whether a viewer whose list filter is not loaded counts as filtered */
  private canRespond(
    entry: CacheEntry,
    { needsFramework, authorization }: RequestedForm,
    isUnknownFiltered = true,
  ): boolean {
    if (needsFramework) return false;
    if (authorization === undefined) return true;
    try {
      const viewer = this.tokens.authenticate(authorization);
      if (viewer === null) return true;
      if (!entry.isFor(viewer)) return false;
      if (!entry.isFiltered) return true;
      const filter = this.filters.find(viewer.id);
      return filter === undefined ? !isUnknownFiltered : filter === null;
    } catch {
      // The framework rejects the token, or ignores an optional token.
      return false;
    }
  }

  protected write(
    entry: CacheEntry,
    state: CacheStatus,
    form: RequestedForm,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    this.cache.store.use(entry);
    this.hitsByRoute.set(entry.route, (this.hitsByRoute.get(entry.route) ?? 0) + 1);
    countResponse('cached', this.writer.write(entry, state, form, request, response) ? 304 : 200);
  }
}

/** Logs a share of the hits (LOG_REQUESTS). A class of its own, so that the log costs nothing when it is off. */
export class LoggedCachedResponseListener extends CachedResponseListener {
  constructor(
    private readonly log: RequestLog,
    ...parts: ConstructorParameters<typeof CachedResponseListener>
  ) {
    super(...parts);
  }

  protected override write(...args: Parameters<CachedResponseListener['write']>): void {
    const startedAt = performance.now();
    super.write(...args);
    const [{ pattern, route }, , , { method, headers }, { statusCode: status }] = args;
    const id = acceptedRequestId(headers);
    this.log.sample({ id, method: method!, route: pattern ?? route, status, ms: performance.now() - startedAt });
  }
}
