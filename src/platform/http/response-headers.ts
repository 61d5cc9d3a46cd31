import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { AppConfig } from '../../config/app-config.js';
import { routeOf } from './request-identity.js';
import { SECURITY_HEADERS } from './security-headers.js';

/** What a script of another origin may read of an answer. */
const EXPOSED_HEADERS = [
  'Allow',
  'ETag',
  'Link',
  'Location',
  'Retry-After',
  'X-Cache',
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Idempotent-Replayed',
  'Server-Timing',
].join(', ');
const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const PREFLIGHT_SECONDS = '600';
/** What operators alone read: a page of another origin may not. */
const FOR_NO_PAGE = '/metrics';

/** The headers every answer carries, whatever writes it: security and CORS, computed once from the configuration. */
@Injectable()
export class ResponseHeaders {
  /** lower-case names */
  readonly common: Readonly<Record<string, string>>;
  /** request headers that change an answer; undefined where none does */
  readonly vary: string | undefined;
  private readonly origins: ReadonlySet<string> | undefined;

  constructor(config: AppConfig) {
    const { corsOrigins } = config.http;
    const isOpenToAll = corsOrigins.includes('*');
    this.origins = isOpenToAll ? undefined : new Set(corsOrigins);
    this.vary = isOpenToAll ? undefined : 'Origin';
    this.common = {
      ...SECURITY_HEADERS,
      ...(isOpenToAll && { 'access-control-allow-origin': '*' }),
      'access-control-expose-headers': EXPOSED_HEADERS,
    };
  }

  /** The value of Access-Control-Allow-Origin for this origin; undefined where `common` says it, or it may not read. */
  allowedOrigin(origin: string | undefined): string | undefined {
    return origin !== undefined && this.origins?.has(origin) === true ? origin : undefined;
  }

  /** One hook as answers leave, and the answers to preflights. */
  install(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, reply, done) => {
      const { method, headers } = request;
      const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
      if (!isPreflight || headers.origin === undefined) return done();
      void reply
        .status(204)
        .header('access-control-allow-methods', ALLOWED_METHODS)
        .header('access-control-max-age', PREFLIGHT_SECONDS)
        .header('vary', [this.vary, 'Access-Control-Request-Headers'].filter(Boolean).join(', '));
      const asked = headers['access-control-request-headers'];
      if (asked !== undefined) void reply.header('access-control-allow-headers', asked);
      void reply.send();
    });
    fastify.addHook('onSend', (request, reply, payload: unknown, done) => {
      void reply.headers(this.common);
      if (routeOf(request) === FOR_NO_PAGE) {
        void reply.removeHeader('access-control-allow-origin');
        return done(null, payload);
      }
      const origin = this.allowedOrigin(request.headers.origin);
      if (origin !== undefined) void reply.header('access-control-allow-origin', origin);
      if (this.vary !== undefined && !reply.hasHeader('vary')) void reply.header('vary', this.vary);
      done(null, payload);
    });
  }
}
