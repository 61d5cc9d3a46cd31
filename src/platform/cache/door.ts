import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CacheEntry, matchesEtag, type Variant } from './cache-entry.js';
import { chooseVariant } from './encoder.js';
import type { ResponseCache } from './response-cache.js';

export type DoorOptions = {
  /** `*`, or the origins that may read answers */
  corsOrigins: string[];
};

const PASS = Symbol('pass');

/**
 * Answers hits of public routes on the raw node:http listener, with bytes and headers that were ready before the request came;
 * measured, that costs what node:http itself costs. Everything else goes on to the framework: other methods, credentials, and
 * headers that ask for something special (Range, Cache-Control: no-cache and the like, Expect, Upgrade).
 */
export class Door {
  readonly counts = { hits: 0, stale: 0, bridged: 0, notModified: 0 };
  private readonly hitsByRoute = new Map<string, number>();
  private readonly isOpenToAll: boolean;
  private readonly origins: Set<string>;

  constructor(
    private readonly cache: ResponseCache,
    options: DoorOptions,
  ) {
    this.isOpenToAll = options.corsOrigins.includes('*');
    this.origins = new Set(options.corsOrigins);
  }

  get routes(): ReadonlyMap<string, number> {
    return this.hitsByRoute;
  }

  /** True when the request was answered here. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const entry = this.find(request);
    if (entry === undefined) return false;
    const now = Date.now();
    let isStale = false;
    if (now >= entry.freshUntil) {
      // the first to come after the end of freshness goes on and computes; while it does, the others are answered here
      if (now >= entry.staleUntil || !this.cache.isLoading(entry.key)) return false;
      isStale = true;
    }
    const asked = readHeaders(request.rawHeaders);
    if (asked === PASS) return false;
    if (isStale) this.counts.stale++;
    else this.counts.hits++;
    this.write(entry, isStale ? 'staleHeaders' : 'headers', asked, request, response);
    return true;
  }

  /**
   * For a request that nobody has the time to work on: answers it with the last answer that a failure may be bridged with, past its
   * stale window too. False when there is none.
   */
  bridge(request: IncomingMessage, response: ServerResponse): boolean {
    const entry = this.find(request);
    const now = Date.now();
    if (entry === undefined || now >= entry.errorUntil) return false;
    const asked = readHeaders(request.rawHeaders);
    if (asked === PASS) return false;
    this.counts.bridged++;
    this.write(entry, now < entry.staleUntil ? 'staleHeaders' : 'bridgeHeaders', asked, request, response);
    return true;
  }

  private find({ method, url }: IncomingMessage): CacheEntry | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    const entry = this.cache.store.getByUrl(url!);
    return entry?.isLive === true ? entry : undefined;
  }

  private write(
    entry: CacheEntry,
    kind: 'headers' | 'staleHeaders' | 'bridgeHeaders',
    asked: Asked,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const { store } = this.cache;
    store.use(entry);
    this.hitsByRoute.set(entry.route, (this.hitsByRoute.get(entry.route) ?? 0) + 1);
    const variant: Variant =
      asked.acceptEncoding === undefined ? entry.identity : chooseVariant(store, entry, asked.acceptEncoding);
    let headers = variant[kind];
    if (asked.origin !== undefined && !this.isOpenToAll && this.origins.has(asked.origin)) {
      headers = [...headers, 'access-control-allow-origin', asked.origin];
    }
    if (asked.ifNoneMatch !== undefined && matchesEtag(entry, asked.ifNoneMatch)) {
      this.counts.notModified++;
      response.writeHead(304, withoutLength(headers));
      response.end();
      return;
    }
    response.writeHead(entry.status, headers);
    if (request.method === 'HEAD') response.end();
    else response.end(variant.body);
  }

  /**
   * True for a request that was not answered here because it is the one to renew an entry that is still shown. It has to be let in
   * however busy the server is: without it a hot answer would end under load. At most one per entry, so few.
   */
  isRenewal(request: IncomingMessage): boolean {
    const entry = this.cache.store.getByUrl(request.url!);
    if (entry === undefined || !entry.isLive || Date.now() >= entry.staleUntil) return false;
    return !this.cache.isLoading(entry.key) && isPlainRead(request);
  }
}

/** True for an anonymous GET without a header that asks for anything special: the same answer for everybody. */
export function isPlainRead(request: IncomingMessage): boolean {
  if (request.method !== 'GET') return false;
  const asked = readHeaders(request.rawHeaders);
  return asked !== PASS && asked.ifNoneMatch === undefined && asked.origin === undefined;
}

type Asked = { acceptEncoding: string | undefined; ifNoneMatch: string | undefined; origin: string | undefined };

const NOTHING_ASKED: Asked = { acceptEncoding: undefined, ifNoneMatch: undefined, origin: undefined };

/** Reads the raw header list once, without building node's headers object (about 2 µs). */
function readHeaders(raw: string[]): Asked | typeof PASS {
  let asked = NOTHING_ASKED;
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!;
    switch (name.length) {
      case 4: // Host
        break;
      case 5: // Range
      case 6: // Cookie, Expect, Origin, Pragma
      case 7: // Upgrade
      case 8: // If-Match, If-Range
      case 13: // Authorization, Cache-Control, If-None-Match
      case 15: // Accept-Encoding
      case 17: // If-Modified-Since, Transfer-Encoding
      case 14: {
        // Content-Length
        const lower = name.toLowerCase();
        if (PASSING.has(lower)) return PASS;
        if (lower === 'accept-encoding' || lower === 'if-none-match' || lower === 'origin') {
          if (asked === NOTHING_ASKED) asked = { ...NOTHING_ASKED };
          if (lower === 'accept-encoding') asked.acceptEncoding = raw[at + 1];
          else if (lower === 'if-none-match') asked.ifNoneMatch = raw[at + 1];
          else asked.origin = raw[at + 1];
        }
        break;
      }
      default:
        break;
    }
  }
  return asked;
}

const PASSING = new Set([
  'range',
  'cookie',
  'expect',
  'pragma',
  'upgrade',
  'if-match',
  'if-range',
  'authorization',
  'cache-control',
  'if-modified-since',
  'transfer-encoding',
  'content-length',
]);

function withoutLength(headers: string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!;
    if (name !== 'content-length' && name !== 'content-type' && name !== 'content-encoding')
      kept.push(name, headers[at + 1]!);
  }
  return kept;
}
