import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '../../config/app-config.js';
import { routeOf } from './request-identity.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** response headers set by hooks before the response exists: alternating names and values */
    routeHeaders: string[];
  }
}

/** Security headers of all responses: the defaults of helmet 8, for an API that pages of other origins may load. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'cross-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};
/** The headers that scripts of other origins may read (CORS). */
const EXPOSED_HEADERS =
  'Age, Allow, Content-Location, ETag, Link, Location, Retry-After, WWW-Authenticate, X-Cache, X-Request-Id, RateLimit, ' +
  'RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Idempotent-Replayed, Server-Timing';
/** A route for operators only, which pages of other origins may not read. */
const SAME_ORIGIN_ROUTE = '/metrics';

/** Computes the common headers of responses from the configuration and the request. */
@Injectable()
export class ResponseHeaders {
  /** security and CORS, lower-case names */
  readonly common: Readonly<Record<string, string>>;
  /** the request headers that a response depends on; undefined if there are none */
  readonly vary: string | undefined;
  private readonly origins: ReadonlySet<string> | undefined;
  private readonly commonList: readonly string[];
  private readonly sameOriginHeaders: readonly string[];

  constructor(config: AppConfig) {
    const { corsOrigins } = config.http;
    const isOpenToAll = corsOrigins.includes('*');
    this.origins = isOpenToAll ? undefined : new Set(corsOrigins);
    this.vary = isOpenToAll ? undefined : 'Origin';
    const closed = { ...SECURITY_HEADERS, 'access-control-expose-headers': EXPOSED_HEADERS };
    this.common = isOpenToAll ? { ...closed, 'access-control-allow-origin': '*' } : closed;
    this.sameOriginHeaders = Object.entries(closed).flat();
    this.commonList = Object.entries(this.common).flat();
  }

  /** Returns Access-Control-Allow-Origin for an origin. Returns undefined if `common` contains it or the origin is not allowed. */
  allowedOrigin(origin: string | undefined): string | undefined {
    return origin !== undefined && this.origins?.has(origin) === true ? origin : undefined;
  }

  /** Returns `common` with the CORS headers of an origin, for a response outside the framework. */
  forOrigin(origin: string | undefined): Readonly<Record<string, string>> {
    const allowed = this.allowedOrigin(origin);
    return allowed === undefined ? this.common : { ...this.common, 'access-control-allow-origin': allowed };
  }

  /** Returns the headers of one response: request id, duration, and headers set by hooks. */
  ownOf(request: FastifyRequest, reply: FastifyReply): string[] {
    const own = ['x-request-id', request.id, 'server-timing', serverTiming(reply)];
    // The router rejects some requests before hooks run.
    for (const part of request.routeHeaders ?? []) own.push(part);
    return own;
  }

  /** Returns all headers of a response, as for `writeHead`. @param set headers of the route, lower-case names */
  listFor(request: FastifyRequest, reply: FastifyReply, set: Record<string, string | string[] | undefined>): string[] {
    const isSameOriginOnly = routeOf(request) === SAME_ORIGIN_ROUTE;
    const list = [...(isSameOriginOnly ? this.sameOriginHeaders : this.commonList), ...this.ownOf(request, reply)];
    if (!isSameOriginOnly && this.vary !== undefined) {
      const origin = this.allowedOrigin(request.headers.origin);
      if (origin !== undefined) list.push('access-control-allow-origin', origin);
      set['vary'] = this.varyWith(set['vary'] as string | undefined);
    }
    for (const name in set) {
      const value = set[name];
      if (Array.isArray(value)) for (const one of value) list.push(name, one);
      else if (value !== undefined) list.push(name, String(value));
    }
    return list;
  }

  /** Returns `Vary` for a response that also depends on these request headers. */
  varyWith(names: string | undefined): string | undefined {
    return [this.vary, names].filter(Boolean).join(', ') || undefined;
  }
}

/** A part of a request's time: in the queue of reads, until the batch of a write was committed, in `JSON.stringify`. */
type Layer = 'queue' | 'commit' | 'json';

/** in ms; of responses that have any */
const layers = new WeakMap<ServerResponse, Map<Layer, number>>();

/** Adds to the time of a layer. */
export function recordLayer(response: ServerResponse, layer: Layer, ms: number): void {
  const own = layers.get(response);
  if (own === undefined) layers.set(response, new Map([[layer, ms]]));
  else own.set(layer, (own.get(layer) ?? 0) + ms);
}

/** Returns the time in the queue of reads, in ms. */
export function waitOf(response: ServerResponse): number {
  return layers.get(response)?.get('queue') ?? 0;
}

/** Returns the header: the layers in the order in which they were recorded, and `total` since the request arrived, in ms. */
export function serverTiming({ raw, elapsedTime }: FastifyReply): string {
  const total = `total;dur=${(waitOf(raw) + elapsedTime).toFixed(1)}`;
  const own = layers.get(raw);
  if (own === undefined) return total;
  return [...Array.from(own, ([layer, ms]) => `${layer};dur=${ms.toFixed(1)}`), total].join(', ');
}
