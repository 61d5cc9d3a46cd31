import { addRouteConfig } from '../http/route-config.js';
import type { RateLimitPolicy } from './rate-limiter.js';

/** The limit in Fastify's configuration of a route. */
export type LimitedRoute = { rateLimit?: { policy: RateLimitPolicy; callers: 'all' | 'visitors' } };

/** Replaces the limit of the method for a route, for every caller or only for visitors. */
export function RateLimit(policy: RateLimitPolicy, callers: 'all' | 'visitors' = 'all'): MethodDecorator {
  return addRouteConfig({ rateLimit: { policy, callers } } satisfies LimitedRoute);
}
