import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { finalize, type Observable } from 'rxjs';
import type { Span, Tracer } from '../../common/tracing.js';
import { routeOf } from './request-identity.js';
import { waitOf } from './response-headers.js';

/** @field since the end of the last station */
type RequestTrace = { span: Span; since: number; handler?: Span };

declare module 'fastify' {
  interface FastifyRequest {
    /** of a sampled request */
    trace: RequestTrace | undefined;
  }
}

/** Adds spans for the stations of each request: queue, guard, handler and respond. Called only with tracing. */
export function installRequestTracing(app: NestFastifyApplication, tracer: Tracer): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.decorateRequest('trace', undefined);
  fastify.addHook('onRequest', (request, reply, done) => {
    const { method, headers, id } = request;
    const since = performance.now();
    const startedAt = since - waitOf(reply.raw);
    const route = routeOf(request);
    const attributes = { 'http.request.method': method, 'http.route': route, 'opencanvas.request.id': id };
    const causes = [headers['traceparent'] ?? []].flat();
    const span = tracer.start(`${method} ${route}`, causes, { startedAt, attributes, isServer: true });
    if (span !== undefined) {
      request.trace = { span, since };
      if (startedAt < since) span.child('queue', { startedAt }).end();
    }
    done();
  });
  fastify.addHook('onResponse', ({ trace }, { statusCode }, done) => {
    if (trace !== undefined) {
      trace.span.child('respond', { startedAt: trace.since }).end();
      trace.span.set({ 'http.response.status_code': statusCode });
      trace.span.end(statusCode >= 500 ? statusCode : undefined);
    }
    done();
  });
  app.useGlobalInterceptors(new TracingInterceptor());
}

/** Runs after the guards, before all other interceptors. */
class TracingInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { trace } = context.switchToHttp().getRequest<FastifyRequest>();
    if (trace === undefined) return next.handle();
    trace.span.child('guard', { startedAt: trace.since }).end();
    const handler = trace.span.child(`${context.getClass().name}.${context.getHandler().name}`);
    trace.handler = handler;
    return next.handle().pipe(
      finalize(() => {
        handler.end();
        trace.since = performance.now();
      }),
    );
  }
}
