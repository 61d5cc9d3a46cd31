import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable, tap } from 'rxjs';
import { AppConfig } from '../../config/app-config.js';
import { headersForAll } from '../http/headers-for-all.js';
import { type CacheEntry, REVALIDATION_FAILED } from './cache-entry.js';
import { type CachePolicy, cachePolicies } from './cache-policies.js';
import { CACHE_RULE_METADATA, type CacheRule, canonicalUrl } from './cache-rule.js';
import { makeEntry } from './make-entry.js';
import { ResponseCache } from './response-cache.js';
import { ShortWay } from './short-way.js';

type Request = FastifyRequest<{ Params: Record<string, string>; Querystring: Record<string, unknown> }>;

/**
 * Owns what may be shared and for how long: the canonical key, the tags, the headers of the stored answer. Requests with
 * credentials neither read nor fill the cache.
 */
@Injectable()
export class CacheInterceptor implements NestInterceptor {
  private readonly policies: Record<string, CachePolicy>;

  constructor(
    private readonly reflector: Reflector,
    private readonly cache: ResponseCache,
    private readonly shortWay: ShortWay,
    config: AppConfig,
  ) {
    this.policies = cachePolicies(config.cache);
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const rule = this.reflector.get<CacheRule<Request> | undefined>(CACHE_RULE_METADATA, context.getHandler());
    if (rule === undefined) return next.handle();
    const request = context.switchToHttp().getRequest<Request>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    if (request.headers.authorization !== undefined || request.headers.cookie !== undefined) {
      void reply.header('Cache-Control', 'private, no-cache').header('X-Cache', 'BYPASS');
      return uncached(rule, next, reply);
    }
    const rawUrl = request.raw.url ?? request.url;
    const path = rule.path === undefined ? rawUrl.split('?', 1)[0]! : rule.path(request);
    const key = path === null ? null : canonicalUrl(path, request.query, rule);
    if (key === null) return uncached(rule, next, reply);
    const route = `${context.getClass().name}.${context.getHandler().name}`;
    return from(this.answer(rule, key, rawUrl, route, request, reply, next));
  }

  private async answer(
    rule: CacheRule<Request>,
    key: string,
    rawUrl: string,
    route: string,
    request: Request,
    reply: FastifyReply,
    next: CallHandler,
  ): Promise<Buffer> {
    const policy = this.policies[rule.policy]!;
    const load = async (): Promise<CacheEntry> => {
      // read before the computation: a stale answer may leave on this reply meanwhile, with headers of its own
      const shared = sharedHeaders(reply, policy);
      this.shortWay.learn(route, shared);
      const body: unknown = await lastValueFrom(next.handle());
      return makeEntry({ rule, key, handler: route, policy, shared, request, body });
    };
    const { entry, state } = await this.cache.fetch(key, load);
    if (entry.isLive) this.cache.store.addAlias(rawUrl, entry);
    const { fields, body } = entry.identity;
    for (const name in fields) if (name !== 'content-length') void reply.header(name, fields[name]);
    void reply.header('x-cache', state === 'ERROR' ? 'STALE' : state);
    if (state === 'ERROR') void reply.header('warning', REVALIDATION_FAILED);
    return body;
  }
}

/** The plain answer, with the headers a cache entry would have given it. */
function uncached(rule: CacheRule<Request>, next: CallHandler, reply: FastifyReply): Observable<unknown> {
  const describe = (body: unknown): void => {
    const etagPrefix = rule.etagPrefix?.(body);
    if (etagPrefix !== undefined) void reply.header('x-etag-prefix', etagPrefix);
    for (const [name, value] of Object.entries(rule.headers?.(body) ?? {})) void reply.header(name, value);
  };
  return next.handle().pipe(tap(describe));
}

function sharedHeaders(reply: FastifyReply, policy: CachePolicy): Record<string, string> {
  const headers = headersForAll(reply);
  const seconds = (ms: number): number => Math.floor(ms / 1000);
  headers['content-type'] ??= 'application/json; charset=utf-8';
  headers['cache-control'] =
    `public, max-age=0, s-maxage=${seconds(policy.freshMs)}, stale-while-revalidate=${seconds(policy.staleMs)}, ` +
    `stale-if-error=${seconds(policy.staleIfErrorMs)}`;
  headers['vary'] = [...new Set([...(headers['vary']?.split(/, */) ?? []), 'Accept-Encoding'])].join(', ');
  return headers;
}
