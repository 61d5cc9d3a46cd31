import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { StreamableFile, type VersioningOptions, VersioningType } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppModule } from './app.module.js';
import { tracing } from './common/tracing.js';
import type { AppConfig } from './config/app-config.js';
import { CachedResponseListener } from './platform/cache/cached-response.listener.js';
import type { ProcessRole } from './platform/cluster/process-role.js';
import { CLOSING } from './platform/cluster/connection-drain.js';
import { DRAINING } from './platform/cluster/running-app.js';
import { ConcurrencyLimiter } from './platform/http/load-shedding/concurrency-limiter.js';
import { AccessTokenService } from './platform/access/access-token.service.js';
import { ResponseWriter } from './platform/http/response-writer.js';
import { sendClientError, rejectConnect } from './platform/http/problems/client-errors.js';
import { trustProxies } from './platform/http/client-address.js';
import { dropRestAfterResponse } from './platform/http/early-response.js';
import { ConnectionGuard } from './platform/http/connection-guard.js';
import { ErrorPages } from './platform/http/problems/error-pages.js';
import { ProblemFilter } from './platform/http/problems/problem.filter.js';
import { createBodyCharge, createRateLimit } from './platform/rate-limit/rate-limit.hook.js';
import { RateLimiter } from './platform/rate-limit/rate-limiter.js';
import { RequestLog } from './platform/http/request-log.js';
import { rejectInvalidRequest, rejectInvalidHeaders } from './platform/http/request-head.js';
import { installRequestTracing } from './platform/http/request-tracing.js';
import { installRequestHook } from './platform/http/request.hook.js';
import { installRequestRules } from './platform/http/request-rules.js';
import { serveIndex } from './platform/http/address-index.js';
import { createOpenCanvasDocument } from './opencanvas/document.js';
import { OpenCanvasModule } from './opencanvas/opencanvas.module.js';
import { rootMountOf } from './opencanvas/root-mount.js';
import { mountDocs, serveDocument } from './platform/http/openapi/docs.js';
import { createLogger } from './platform/http/logger.js';
import { countResponse } from './platform/http/write-response.js';
import { ResponseHeaders } from './platform/http/response-headers.js';
import { createRequestId } from './platform/http/request-identity.js';
import { SseStreams } from './platform/http/sse/sse-streams.js';
import { Readiness } from './platform/metrics/readiness.js';
import { rewriteHome } from './site/home-page.js';
import { serveSiteFiles } from './site/site-files.js';

const isHome = ({ url = '' }: IncomingMessage): boolean => url === '/' || url.startsWith('/?');

export const VERSIONING: VersioningOptions = { type: VersioningType.URI, prefix: 'v', defaultVersion: '1' };

type Listener = { cached?: CachedResponseListener; limiter?: ConcurrencyLimiter; headers?: ResponseHeaders };

/**
 * Creates the application with adapter, hooks and documents, for the server, the tests and the OpenAPI export. The application is
 * initialized, but does not listen.
 */
export async function createApp(config: AppConfig, role: ProcessRole = 'web'): Promise<NestFastifyApplication> {
  const listener: Listener = {};
  const adapter = new NestAdapter({
    serverFactory: (handler: RequestListener) => createHttpServer(config, handler, listener),
    clientErrorHandler: sendClientError,
    genReqId: createRequestId,
    trustProxy: trustProxies(config.http.trustedProxies),
    bodyLimit: config.http.bodyLimitBytes,
    logger: false,
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      // hooks and filters do not run for requests that the router rejects
      new ProblemFilter(app.get(ResponseWriter), app.get(ErrorPages)).send(error, request, reply);
      countResponse('framework', reply.statusCode);
    },
    routerOptions: { maxParamLength: 200 },
    // Runs before limits and caches, so that a page has one URL and one key.
    rewriteUrl: ({ url = '/' }) => url.replace(/^([^?]*[^/?])\/(?=$|\?)/, '$1'),
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.serving(config, role), adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: createLogger(config, role),
  });
  app.enableVersioning(VERSIONING);
  const fastify = app.getHttpAdapter().getInstance();
  const writer = app.get(ResponseWriter);
  adapter.writer = writer;
  const [limiter, tokens] = [app.get(RateLimiter), app.get(AccessTokenService)];
  const limit = createRateLimit(limiter, tokens);
  if (tracing.tracer !== undefined) installRequestTracing(app, tracing.tracer);
  installRequestHook(fastify, { headers: app.get(ResponseHeaders), writer, limit, log: new RequestLog(config) });
  installRequestRules(fastify, createBodyCharge(limiter, tokens));
  const server = config.http.publicUrl ?? `http://localhost:${config.http.port}`;
  serveIndex(fastify, writer, config.http.docs);
  if (config.http.docs)
    mountDocs(app, writer, { server, hasDemoAccount: !config.isProduction, apart: OpenCanvasModule });
  if (config.site.hasMailPages) serveSiteFiles(app, writer, config);
  const { path } = config.opencanvas;
  if (config.http.docs && path !== undefined)
    serveDocument(fastify, writer, () => createOpenCanvasDocument(app), `${path}/openapi.json`);
  listener.cached = app.get(CachedResponseListener);
  listener.limiter = app.get(ConcurrencyLimiter);
  listener.headers = app.get(ResponseHeaders);
  new ConnectionGuard(config.http).watch(app.getHttpServer());
  app.getHttpServer().once(DRAINING, () => app.get(Readiness).drain());
  app.getHttpServer().once(CLOSING, () => app.get(SseStreams).drain());
  try {
    await app.init();
  } catch (error) {
    await app.close();
    throw error;
  }
  return app;
}

type Response = Parameters<FastifyAdapter['reply']>[0];

/** Sends the results of handlers through `ResponseWriter` instead of Fastify. */
class NestAdapter extends FastifyAdapter {
  /** set after the application is created */
  writer: ResponseWriter | undefined;

  override reply(response: Response, body: unknown, statusCode?: number): FastifyReply {
    if (!('request' in response) || body instanceof StreamableFile) return super.reply(response, body, statusCode);
    // An interceptor has already written the response.
    if (response.sent) return response;
    if (statusCode !== undefined) void response.status(statusCode);
    this.writer!.write(response, body);
    return response;
  }
}

/** Creates the raw server: cache hits first, then the framework. Limits and timeouts apply to both. */
function createHttpServer(config: AppConfig, handler: RequestListener, listener: Listener): Server {
  const { http } = config;
  const mountAtRoot = rootMountOf(config.opencanvas);
  const server = createServer(
    {
      maxHeaderSize: http.headerLimitBytes,
      headersTimeout: http.headersTimeoutMs,
      requestTimeout: http.requestTimeoutMs,
      keepAliveTimeout: http.keepAliveTimeoutMs,
      connectionsCheckingInterval: Math.min(5_000, Math.ceil(http.headersTimeoutMs / 4)),
      noDelay: true,
      // Our own check rejects these requests with a problem body.
      requireHostHeader: false,
    },
    (request, response) => {
      const { cached, headers } = listener;
      dropRestAfterResponse(request, response);
      if (rejectInvalidHeaders(request, response, headers!)) return;
      mountAtRoot?.(request);
      if (config.site.isOn && isHome(request)) rewriteHome(request);
      if (cached?.tryHandle(request, response)) return;
      if (rejectInvalidRequest(request, response, headers!)) return;
      listener.limiter!.handle(request, response, () => handler(request, response), {
        bypassesLimit: cached!.isRenewal(request),
        serveStaleOnError: () => cached!.serveStaleOnError(request, response),
      });
    },
  );
  server.maxRequestsPerSocket = http.maxRequestsPerSocket;
  server.maxConnections = http.maxConnections;
  server.on('connect', rejectConnect);
  return server;
}
