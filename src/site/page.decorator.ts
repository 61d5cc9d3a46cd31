import { applyDecorators, createParamDecorator, type ExecutionContext, Get } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { PageRequest } from '../../web/src/contract.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { CACHE_RULE_METADATA, type CacheRule } from '../platform/cache/cache-rule.js';
import { ErrorPage } from '../platform/http/problems/problem-page.js';
import type { TextResponse } from '../platform/http/text-response.js';

type Request = FastifyRequest<{ Params: Record<string, string>; Querystring: Record<string, unknown> }>;

/** A page at a path, with the names of its query parameters. It is cached with the tags of what it shows. */
export function Page(path: string, parameters: string[], options: Pick<CacheRule, 'vary'> = {}): MethodDecorator {
  const query = Object.fromEntries(parameters.map((name) => [name, '']));
  const rule = { ...options, query, maybeEmpty: parameters, tags: (_: unknown, { tags }: TextResponse) => tags };
  return applyDecorators(Get(path), Cached<TextResponse>(rule), ErrorPage());
}

/** The parameters of a page. Unknown parameters, as links of other sites have, and empty ones are omitted. */
export const Requested = createParamDecorator((_: unknown, context: ExecutionContext): PageRequest => {
  const { params, query } = context.switchToHttp().getRequest<Request>();
  const { query: known } = Reflect.getMetadata(CACHE_RULE_METADATA, context.getHandler()) as CacheRule;
  const given = Object.keys(known!).flatMap((name) => {
    const value = query[name];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  return { params, query: Object.fromEntries(given) };
});
