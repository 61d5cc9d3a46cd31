import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CodedError } from '../../common/errors.js';
import { histogram } from '../prometheus/metric.js';
import { isInternal } from './request-identity.js';
import { countResponse } from './write-response.js';
import type { RequestLog } from './request-log.js';
import type { ResponseWriter } from './response-writer.js';
import type { ResponseHeaders } from './response-headers.js';
import { eventStreams } from './sse/sse-stream.js';

const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const PREFLIGHT_SECONDS = '600';

const seconds = histogram({
  name: 'opencanvas_http_request_seconds',
  help: 'Requests through the framework, by route; hits of the response cache have their own metric',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
});

export type RequestHookParts = {
  headers: ResponseHeaders;
  writer: ResponseWriter;
  /** Counts the request and adds the rate limit headers to `routeHeaders`. Throws if the limit is exceeded. */
  limit: (request: FastifyRequest) => void;
  log: RequestLog;
};

/** Responds to CORS preflights, applies rate limits, and rejects unsupported methods. Install the hook before the routes. */
export function installRequestHook(fastify: FastifyInstance, { headers, writer, limit, log }: RequestHookParts): void {
  const methods = new AllowedMethods(fastify);
  fastify.decorateRequest('routeHeaders');
  fastify.addHook('onRequest', (request, reply, done) => {
    request.routeHeaders = [];
    const allow = methods.allowFor(request);
    if (allow !== null) request.routeHeaders.push('allow', allow);
    if (isPreflight(request)) return sendPreflight(request, reply);
    try {
      limit(request);
    } catch (error) {
      return done(error as CodedError);
    }
    if (allow === null) return done();
    if (request.method !== 'OPTIONS')
      return done(new CodedError('method_not_allowed', `This URL does not support ${request.method}.`));
    writer.write(reply.status(204), undefined);
  });

  function sendPreflight(request: FastifyRequest, reply: FastifyReply): void {
    void reply
      .status(204)
      .header('access-control-allow-methods', ALLOWED_METHODS)
      .header('access-control-max-age', PREFLIGHT_SECONDS)
      .header('vary', 'Access-Control-Request-Headers');
    const asked = request.headers['access-control-request-headers'];
    if (asked !== undefined) void reply.header('access-control-allow-headers', asked);
    writer.write(reply, undefined);
  }

  // Adds the headers to responses of Fastify itself (files of the documentation).
  fastify.addHook('onSend', (request, reply, payload: unknown, done) => {
    const list = headers.listFor(request, reply, {});
    for (let at = 0; at < list.length; at += 2) void reply.header(list[at]!, list[at + 1]);
    if (payload instanceof Readable) endWithConnection(payload, request, reply);
    done(null, payload);
  });

  // Labels contain the route pattern instead of the URL, because clients could create unlimited series.
  fastify.addHook('onResponse', (request, { raw, statusCode, elapsedTime }, done) => {
    const { id, method, routeOptions } = request;
    if (!isInternal(request.raw)) countResponse('framework', statusCode);
    const status = `${Math.floor(statusCode / 100)}xx`;
    const route = routeOptions.url ?? 'unknown';
    const isStream = eventStreams.has(raw);
    if (!isStream) seconds.observe({ method, route, status }, elapsedTime / 1_000);
    log.record({ id, method, route, status: statusCode, ms: isStream ? 0 : elapsedTime });
    done();
  });
}

/** Ends the response of a file when the client disconnects. Fastify does not, so the limiter would never release the slot. */
function endWithConnection(file: Readable, { raw: { socket } }: FastifyRequest, { raw: response }: FastifyReply): void {
  file.once('close', () => {
    if (socket.destroyed) response.end();
  });
  if (socket.destroyed) file.destroy();
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/** The supported methods of each path, collected while routes are registered. */
class AllowedMethods {
  private readonly exact = new Map<string, string[]>();
  private readonly patterns: { pattern: RegExp; methods: string[] }[] = [];

  constructor(fastify: FastifyInstance) {
    fastify.addHook('onRoute', ({ url, method }) => {
      const methods = [method].flat();
      if (/[:*]/.test(url)) this.patterns.push({ pattern: patternOf(url), methods });
      else this.exact.set(url, [...(this.exact.get(url) ?? []), ...methods]);
    });
  }

  /** Returns the value of `Allow` if the path does not support the method of the request, otherwise null. */
  allowFor({ url, method, is404 }: FastifyRequest): string | null {
    const end = url.indexOf('?');
    const path = end === -1 ? url : url.slice(0, end);
    const known = this.exact.get(path);
    // The router would match PATCH /v1/posts/mine to /v1/posts/:idOrSlug.
    if (!is404 && (known === undefined || known.includes(method))) return null;
    const methods =
      known ?? this.patterns.filter(({ pattern }) => pattern.test(path)).flatMap((route) => route.methods);
    return methods.length === 0 ? null : [...new Set(methods), 'OPTIONS'].sort().join(', ');
  }
}

/** Converts a route pattern such as `/v1/posts/:id/vote` to a regular expression: `:name` matches within a segment, `*` anything. */
function patternOf(url: string): RegExp {
  const pattern = url.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+').replace('*', '.*');
  return new RegExp(`^${pattern}$`);
}
