// The identity of a request. Limits, caches and guards use it, never the raw URL: the router decodes a URL before it looks for a route,
// so one route can be written in many ways.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** A letter, a digit or one of `-._~`, percent-encoded: equivalent to the plain character (RFC 3986, 2.3). */
const ENCODED_UNRESERVED = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/i;
/** Queries may contain encoded `-._~`, because browsers and libraries encode them (`URLSearchParams` writes `%7E`). */
const ENCODED_LETTER = /%(?:3\d|4[1-9a-f]|5[\da]|6[1-9a-f]|7[\da])/i;
const DOT_SEGMENT = /\/\.\.?(?:\/|$)/;
const HEALTH = /^\/health\/(?:live|ready)(?:\?|$)/;

const ACCEPTED_ID = /^[A-Za-z0-9._-]{1,64}$/;
const PROCESS_MARK = randomBytes(4).toString('hex');
let counter = 0;

/** The client's X-Request-Id if it is harmless, otherwise a new one: unique per process start, cheap, sortable. */
export function createRequestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  if (typeof given === 'string' && ACCEPTED_ID.test(given)) return given;
  counter = (counter + 1) % 0xffffffff;
  return `req-${PROCESS_MARK}-${counter.toString(36)}`;
}

/** Decodes `-`, `_` and `~` in the path, which some clients encode. Encoded letters, digits and dots stay an error. */
export function plainAddress(target: string): string {
  if (!target.includes('%')) return target;
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  return path.replace(/%(?:2d|5f|7e)/gi, decodeURIComponent) + target.slice(path.length);
}

/** The reason why the target of a request is not a canonical URL of this server; null when it is. */
export function urlError(target: string, method: string): string | null {
  // addresses the server itself
  if (target === '*' && method === 'OPTIONS') return null;
  if (target.charCodeAt(0) !== 47 /* / */) return 'An address must begin with a slash and name no host.';
  if (target.charCodeAt(1) === 47) return 'An address must begin with a single slash.';
  if (target.includes('#')) return 'An address must not hold a #: fragments stay with the client.';
  if (!target.includes('%') && !target.includes('\\') && !target.includes('/.')) return null;
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  if (path.includes('\\')) return 'A path must not hold a backslash.';
  if (DOT_SEGMENT.test(path)) return 'A path must not hold the segments . and ...';
  if (ENCODED_UNRESERVED.test(path)) return 'A path must not percent-encode letters, digits, hyphens, dots, _ and ~.';
  if (end !== -1 && ENCODED_LETTER.test(target.slice(end))) {
    return 'A query must not percent-encode letters and digits.';
  }
  return null;
}

/** The pattern of the matched route, like `/v1/posts/:id/vote`; empty when there is none. */
export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? '';
}

/** Whether a route belongs to the API, whose rules are strict; the others are for operators and for the documentation. */
export function isApiRoute(route: string): boolean {
  return route.startsWith('/v1/');
}

/** Health checks are always admitted and never limited: probes need a response above all when the server is busy. */
export function isHealthRoute(route: string): boolean {
  return route.startsWith('/health/');
}

/** The same before routing. */
export function isHealthCheck(target: string): boolean {
  return HEALTH.test(target);
}
