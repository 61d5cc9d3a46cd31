import { applyDecorators, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { RateLimitPolicy } from './rate-limiter.js';

const VISITOR_LIMIT_METADATA = 'opencanvas:visitor-limit';
const REFLECTOR = new Reflector();

/** What Fastify is told of a route. */
export type LimitedRoute = { visitorLimit?: RateLimitPolicy };

/** The rate limit of a route for callers without an account, in place of that of its method. */
export function VisitorLimit(policy: RateLimitPolicy): MethodDecorator {
  const config: LimitedRoute = { visitorLimit: policy };
  return applyDecorators(SetMetadata(VISITOR_LIMIT_METADATA, policy), RouteConfig(config));
}

export function visitorLimitOf(handler: () => unknown): RateLimitPolicy | undefined {
  return REFLECTOR.get<RateLimitPolicy | undefined>(VISITOR_LIMIT_METADATA, handler);
}
