import type { FastifyRequest } from 'fastify';
import type { AccessTokenService } from '../access/access-token.service.js';
import type { Viewer } from '../access/viewer.js';
import { type RateLimiter, type RateLimitVerdict, requireAllowed, windowSecondsOf } from './rate-limiter.js';
import { clientAddress } from '../http/client-address.js';
import { isHealthRoute, isInternal, routeOf } from '../http/request-identity.js';
import type { LimitedRoute } from './rate-limit.decorator.js';

/** Limits only requests that reach the framework, because a cache hit costs less than its count. @throws CodedError `rate_limited` */
export function createRateLimit(limiter: RateLimiter, tokens: AccessTokenService): (request: FastifyRequest) => void {
  if (!limiter.isEnabled) return () => {};
  return (request) => {
    const { method } = request;
    if (method === 'OPTIONS' || isHealthRoute(routeOf(request)) || isInternal(request.raw)) return;
    const account = viewerOf(request, tokens)?.id ?? null;
    const { rateLimit } = request.routeOptions.config as LimitedRoute;
    const ofMethod = method === 'GET' || method === 'HEAD' ? 'reads' : 'writes';
    const isOwn = rateLimit !== undefined && (rateLimit.callers === 'all' || account === null);
    const policy = isOwn ? rateLimit.policy : ofMethod;
    const verdict = limiter.take(policy, account, clientAddress(request));
    addLimitHeaders(request.routeHeaders, verdict);
    requireAllowed(verdict);
  };
}

/** Charges the size of a received body; routes with their own limit charge it themselves. @throws CodedError `byte_budget_spent` */
export function createBodyCharge(
  limiter: RateLimiter,
  tokens: AccessTokenService,
): (request: FastifyRequest, bytes: number) => void {
  return (request, bytes) => {
    const { rateLimit } = request.routeOptions.config as LimitedRoute;
    if (rateLimit === undefined) limiter.chargeBody(viewerOf(request, tokens), clientAddress(request), bytes);
  };
}

function addLimitHeaders(headers: string[], { policy, limit, remaining, resetSeconds }: RateLimitVerdict): void {
  headers.push('ratelimit-policy', `"${policy}";q=${limit};w=${windowSecondsOf(policy)}`);
  headers.push('ratelimit', `"${policy}";r=${remaining};t=${resetSeconds}`);
  headers.push('x-ratelimit-limit', String(limit));
  headers.push('x-ratelimit-remaining', String(remaining));
  headers.push('x-ratelimit-reset', String(resetSeconds));
}

/** Only a valid token identifies an account. Verified tokens are cached, so this is a lookup. */
function viewerOf({ headers }: FastifyRequest, tokens: AccessTokenService): Viewer | null {
  try {
    return tokens.authenticate(headers.authorization) ?? null;
  } catch {
    return null;
  }
}
