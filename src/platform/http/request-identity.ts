// The identity of a request for limits, caches and guards, which never use the raw URL.
// The router decodes the URL, and several URLs match one route.
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** A percent-encoded letter, digit or one of `-._~`, which equals the plain character (RFC 3986, 2.3). */
const ENCODED_UNRESERVED = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/i;
/** As above without `-._~`, which browsers and libraries encode in queries (`URLSearchParams` writes `%7E`). */
const ENCODED_LETTER = /%(?:3\d|4[1-9a-f]|5[\da]|6[1-9a-f]|7[\da])/i;
const DOT_SEGMENT = /\/\.\.?(?:\/|$)/;
const HEALTH = /^\/health\/(?:live|ready)(?:\?|$)/;

/** The address of requests that this process makes. No connection has it, because it is not an IP address. */
export const INTERNAL_ADDRESS = 'internal';

const ACCEPTED_ID = /^[A-Za-z0-9._-]{1,64}$/;
const PROCESS_MARK = randomBytes(4).toString('hex');
let counter = 0;

/** Returns the client's X-Request-Id if it is valid, otherwise a new id, unique across processes. */
export function createRequestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = acceptedRequestId(request.headers);
  if (given !== undefined) return given;
  counter = (counter + 1) % 0xffffffff;
  return `req-${PROCESS_MARK}-${counter.toString(36)}`;
}

/** Returns the client's X-Request-Id if it is valid. */
export function acceptedRequestId({ 'x-request-id': given }: IncomingHttpHeaders): string | undefined {
  return typeof given === 'string' && ACCEPTED_ID.test(given) ? given : undefined;
}

/** Decodes `-`, `_` and `~` in the path, which some clients encode. `urlError` rejects encoded letters, digits and dots. */
export function decodeUnreserved(target: string): string {
  if (!target.includes('%')) return target;
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  return path.replace(/%(?:2d|5f|7e)/gi, decodeURIComponent) + target.slice(path.length);
}

/** Returns the error of a request target that is not a canonical URL of this server, otherwise null. */
export function urlError(target: string, method: string): string | null {
  // `OPTIONS *` addresses the server itself.
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

/** Whether this process made the request. Its limits were charged to the request that caused it. */
export function isInternal({ socket }: Pick<IncomingMessage, 'socket'>): boolean {
  return socket.remoteAddress === INTERNAL_ADDRESS;
}

/** Returns the pattern of the matched route, such as `/v1/posts/:id/vote`, or '' if there is none. */
export function routeOf(request: Pick<FastifyRequest, 'routeOptions'>): string {
  return request.routeOptions?.url ?? '';
}

/** Whether a route belongs to the API. Other routes are for operators and documentation, and their rules are less strict. */
export function isApiRoute(route: string): boolean {
  return route.startsWith('/v1/');
}

/** Health checks have no limits, because probes need a response especially under load. */
export function isHealthRoute(route: string): boolean {
  return route.startsWith('/health/');
}

/** As `isHealthRoute`, for a URL before routing. */
export function isHealthCheck(target: string): boolean {
  return HEALTH.test(target);
}
