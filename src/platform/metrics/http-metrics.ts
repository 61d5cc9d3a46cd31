import type { FastifyInstance } from 'fastify';
import { serverTiming } from '../http/server-timing.js';
import { histogram } from '../prometheus/metric.js';

const seconds = histogram({
  name: 'opencanvas_http_request_seconds',
  help: 'Requests through the framework, by route; hits of the response cache are counted apart',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
});

/** Counts one answered request under its route's pattern, never its address: labels must not grow with what clients send. */
export function observeRequest(method: string, route: string, status: number, ms: number): void {
  seconds.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, ms / 1_000);
}

/** Latency per route for /metrics, and Server-Timing for whoever looks at one answer. */
export function installHttpMetrics(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    void reply.header('Server-Timing', serverTiming(reply.raw, reply.elapsedTime));
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    observeRequest(request.method, request.routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime);
    done();
  });
}
