import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ResponseCacheInterceptor } from './response-cache.interceptor.js';
import { type CacheRule, CACHE_RULE_METADATA } from './cache-rule.js';

type Request = FastifyRequest<{ Params: Record<string, string>; Query: Record<string, unknown> }>;

/** Caches the responses of a public GET route for all clients, until they expire or one of their tags is invalidated. */
export function Cached<Body = unknown>(rule: CacheRule<Request, Body>): MethodDecorator {
  return applyDecorators(SetMetadata(CACHE_RULE_METADATA, rule), UseInterceptors(ResponseCacheInterceptor));
}
