import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { headerRef } from '../http/openapi/document-headers.js';
import { CacheInterceptor } from './cache.interceptor.js';
import { type CacheRule, CACHE_RULE_METADATA } from './cache-rule.js';

type Request = FastifyRequest<{ Params: Record<string, string>; Query: Record<string, unknown> }>;

/** Answers of this public GET route are shared, for the lifetime of the rule, until one of their tags is invalidated. */
export function Cached<Body = unknown>(rule: CacheRule<Request, Body>): MethodDecorator {
  return applyDecorators(
    SetMetadata(CACHE_RULE_METADATA, rule),
    UseInterceptors(CacheInterceptor),
    ApiResponse({
      status: 304,
      description: 'Not modified: the client holds the current representation (If-None-Match).',
      headers: { 'X-Cache': headerRef('X-Cache') },
    }),
  );
}
