import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable, tap } from 'rxjs';
import { CodedError } from '../../common/errors.js';
import { AppConfig } from '../../config/app-config.js';
import { ResponseHeaders } from '../http/response-headers.js';
import { serverTiming } from '../http/server-timing.js';
import type { Viewer } from '../access/viewer.js';
import { readAsked } from './asked.js';
import type { CacheEntry } from './cache-entry.js';
import { type CachePolicy, cachePolicies } from './cache-policies.js';
import { CACHE_RULE_METADATA, type CacheRule, canonicalUrl } from './cache-rule.js';
import { EntryWriter } from './entry-writer.js';
import { makeEntry } from './make-entry.js';
import { type Looked, ResponseCache } from './response-cache.js';

type Request = FastifyRequest<{ Params: Record<string, string>; Querystring: Record<string, unknown> }> & {
  viewer?: Viewer;
};
type Rule = CacheRule<Request>;

/**
 * Owns what may be shared and for how long: the canonical key, the tags, the headers of the stored answer. What a route with a rule
 * gives to a visitor is the same for every reader, so signed-in readers share it; only what visitors may not see is computed for one
 * viewer, and not kept.
 */
@Injectable()
export class CacheInterceptor implements NestInterceptor {
  private readonly policies: Record<string, CachePolicy>;
  private readonly sharedHeaders: Record<string, Record<string, string>>;

  constructor(
    private readonly reflector: Reflector,
    private readonly cache: ResponseCache,
    private readonly writer: EntryWriter,
    headers: ResponseHeaders,
    config: AppConfig,
  ) {
    this.policies = cachePolicies(config.cache);
    this.sharedHeaders = Object.fromEntries(
      Object.entries(this.policies).map(([name, policy]) => [name, sharedHeadersOf(policy, headers)]),
    );
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const handler = context.getHandler();
    const rule = this.reflector.get<Rule | undefined>(CACHE_RULE_METADATA, handler);
    if (rule === undefined) return next.handle();
    const request = context.switchToHttp().getRequest<Request>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const path = rule.path === undefined ? request.raw.url!.split('?', 1)[0]! : rule.path(request);
    const key = path === null ? null : canonicalUrl(path, request.query, rule);
    if (key === null) return uncached(rule, next, request, reply);
    return from(this.answer(rule, key, `${context.getClass().name}.${handler.name}`, request, reply, next));
  }

  private async answer(
    rule: Rule,
    key: string,
    handler: string,
    request: Request,
    reply: FastifyReply,
    next: CallHandler,
  ): Promise<unknown> {
    const { viewer } = request;
    let looked: Looked;
    try {
      looked = await this.cache.fetch(key, () => this.load(rule, key, handler, request, next));
    } catch (error) {
      if (viewer === undefined || !(error instanceof CodedError) || error.status !== 404) throw error;
      // what visitors may not see, its author may
      request.viewer = viewer;
      return lastValueFrom(uncached(rule, next, request, reply));
    }
    const { entry, state } = looked;
    if (entry.isLive) this.cache.store.addAlias(request.raw.url!, entry);
    // the request's own, which hooks have set before: its id and its limits
    const own: string[] = ['server-timing', serverTiming(reply.raw, reply.elapsedTime)];
    const set = reply.getHeaders();
    for (const name in set) own.push(name, String(set[name]));
    this.writer.write(entry, state, readAsked(request.raw.rawHeaders), request.raw, reply.raw, own);
    // after the write: what fails in it is still answered as an error
    reply.hijack();
    return undefined;
  }

  /** Computed as for a visitor, whoever asks. */
  private async load(
    rule: Rule,
    key: string,
    handler: string,
    request: Request,
    next: CallHandler,
  ): Promise<CacheEntry> {
    delete request.viewer;
    const body: unknown = await lastValueFrom(next.handle());
    const [policy, shared] = [this.policies[rule.policy]!, this.sharedHeaders[rule.policy]!];
    return makeEntry({ rule, key, handler, policy, shared, request, body });
  }
}

/** The plain answer, with the headers a cache entry would have given it. */
function uncached(rule: Rule, next: CallHandler, { headers }: Request, reply: FastifyReply): Observable<unknown> {
  if (headers.authorization !== undefined)
    void reply.header('cache-control', 'private, no-cache').header('x-cache', 'BYPASS');
  const describe = (body: unknown): void => {
    const etagPrefix = rule.etagPrefix?.(body);
    if (etagPrefix !== undefined) void reply.header('x-etag-prefix', etagPrefix);
    for (const [name, value] of Object.entries(rule.headers?.(body) ?? {})) void reply.header(name, value);
  };
  return next.handle().pipe(tap(describe));
}

/** What every entry of a policy says. */
function sharedHeadersOf(policy: CachePolicy, { common, vary }: ResponseHeaders): Record<string, string> {
  const seconds = (ms: number): number => Math.floor(ms / 1000);
  return {
    ...common,
    'content-type': 'application/json; charset=utf-8',
    'cache-control':
      `public, max-age=0, s-maxage=${seconds(policy.freshMs)}, stale-while-revalidate=${seconds(policy.staleMs)}, ` +
      `stale-if-error=${seconds(policy.staleIfErrorMs)}`,
    vary: [vary, 'Accept-Encoding'].filter(Boolean).join(', '),
  };
}
