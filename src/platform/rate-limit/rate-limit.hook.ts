import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CodedError } from '../../common/errors.js';
import type { AccessTokenService } from '../access/access-token.service.js';
import {
  RATE_LIMIT_WINDOW_SECONDS,
  type RateLimiter,
  type RateLimitPolicy,
  type RateLimitVerdict,
} from './rate-limiter.js';
import { isHealthRoute, routeOf } from '../http/request-identity.js';
import type { LimitedRoute } from './visitor-limit.decorator.js';

const SIGN_IN = new Set(['/v1/auth/login', '/v1/auth/register', '/v1/auth/refresh']);

/**
 * Limits what comes through the framework. Hits that the door answers are not counted: they cost less than counting them fairly
 * would, and an attacker gains nothing by asking for what is ready.
 */
export function installRateLimits(fastify: FastifyInstance, limiter: RateLimiter, tokens: AccessTokenService): void {
  if (!limiter.isEnabled) return;
  fastify.addHook('onRequest', (request, reply, done) => {
    const usual = policyOf(request);
    if (usual === null) return done();
    const account = accountOf(request, tokens);
    const { visitorLimit } = request.routeOptions.config as LimitedRoute;
    const policy = account === null ? (visitorLimit ?? usual) : usual;
    const verdict = limiter.take(policy, account, request.ip);
    const headers = rateLimitHeaders(verdict);
    for (let index = 0; index < headers.length; index += 2) void reply.header(headers[index]!, headers[index + 1]);
    const { limit, isAllowed, retryAfterSeconds } = verdict;
    if (isAllowed) return done();
    const detail = `More than ${limit} ${WORDS[policy]} in ${RATE_LIMIT_WINDOW_SECONDS} seconds; wait ${retryAfterSeconds} s.`;
    done(new CodedError('rate_limited', detail, { retryAfterSeconds }));
  });
}

/** What the client is told of its limit: names and values in turn, as `writeHead` takes them. */
export function rateLimitHeaders({ policy, limit, remaining, resetSeconds }: RateLimitVerdict): string[] {
  return [
    'ratelimit-policy',
    `"${policy}";q=${limit};w=${RATE_LIMIT_WINDOW_SECONDS}`,
    'ratelimit',
    `"${policy}";r=${remaining};t=${resetSeconds}`,
    'x-ratelimit-limit',
    String(limit),
    'x-ratelimit-remaining',
    String(remaining),
    'x-ratelimit-reset',
    String(resetSeconds),
  ];
}

const WORDS = { reads: 'reads', writes: 'writes', auth: 'attempts to sign in', events: 'events' } as const;

function policyOf(request: FastifyRequest): RateLimitPolicy | null {
  const { method } = request;
  const route = routeOf(request);
  if (method === 'OPTIONS' || isHealthRoute(route)) return null;
  if (method === 'GET' || method === 'HEAD') return 'reads';
  return SIGN_IN.has(route) ? 'auth' : 'writes';
}

/** Only a token that holds names an account; any other is the visitor's own affair. Verified tokens are remembered, so this is a lookup. */
function accountOf({ headers }: FastifyRequest, tokens: AccessTokenService): string | null {
  try {
    return tokens.authenticate(headers.authorization)?.id ?? null;
  } catch {
    return null;
  }
}
