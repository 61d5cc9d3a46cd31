import { addRouteConfig } from '../http/route-config.js';
import type { RateLimitPolicy } from './rate-limiter.js';

/** The limit in Fastify's configuration of a route. */
export type LimitedRoute = { rateLimit?: { policy: RateLimitPolicy; callers: 'all' | 'visitors' } };

/** The limit of a route in place of that of its method, for every caller or only for those without an account. */
export function RateLimit(policy: RateLimitPolicy, callers: 'all' | 'visitors' = 'all'): MethodDecorator {
  return addRouteConfig({ rateLimit: { policy, callers } } satisfies LimitedRoute);
}
