import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CodedError } from '../../common/errors.js';
import type { AccessTokenService } from '../access/access-token.service.js';
import { RATE_LIMIT_WINDOW_SECONDS, type RateLimiter, type RateLimitVerdict } from './rate-limiter.js';
import { isHealthRoute, routeOf } from '../http/request-identity.js';
import type { LimitedRoute } from './rate-limit.decorator.js';

/** Limits what comes through the framework. Cache hits are not counted: they cost less than a count. */
export function installRateLimits(fastify: FastifyInstance, limiter: RateLimiter, tokens: AccessTokenService): void {
  if (!limiter.isEnabled) return;
  fastify.addHook('onRequest', (request, reply, done) => {
    const { method } = request;
    if (method === 'OPTIONS' || isHealthRoute(routeOf(request))) return done();
    const account = accountOf(request, tokens);
    const { rateLimit } = request.routeOptions.config as LimitedRoute;
    const ofMethod = method === 'GET' || method === 'HEAD' ? 'reads' : 'writes';
    const isOwn = rateLimit !== undefined && (rateLimit.callers === 'all' || account === null);
    const policy = isOwn ? rateLimit.policy : ofMethod;
    const verdict = limiter.take(policy, account, request.ip);
    setHeaders(reply, verdict);
    const { limit, isAllowed, retryAfterSeconds } = verdict;
    if (isAllowed) return done();
    const detail = `More than ${limit} ${WORDS[policy]} in ${RATE_LIMIT_WINDOW_SECONDS} seconds; wait ${retryAfterSeconds} s.`;
    done(new CodedError('rate_limited', detail, { retryAfterSeconds }));
  });
}

function setHeaders(reply: FastifyReply, verdict: RateLimitVerdict): void {
  const { policy, limit, remaining, resetSeconds } = verdict;
  void reply
    .header('ratelimit-policy', `"${policy}";q=${limit};w=${RATE_LIMIT_WINDOW_SECONDS}`)
    .header('ratelimit', `"${policy}";r=${remaining};t=${resetSeconds}`)
    .header('x-ratelimit-limit', String(limit))
    .header('x-ratelimit-remaining', String(remaining))
    .header('x-ratelimit-reset', String(resetSeconds));
}

const WORDS = { reads: 'reads', writes: 'writes', auth: 'attempts to sign in', events: 'events' } as const;

/** Only a valid token names an account. Verified tokens are cached, so this is a look-up. */
function accountOf({ headers }: FastifyRequest, tokens: AccessTokenService): string | null {
  try {
    return tokens.authenticate(headers.authorization)?.id ?? null;
  } catch {
    return null;
  }
}
