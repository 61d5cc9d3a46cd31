import type { FastifyInstance } from 'fastify';
import { histogram } from '../prometheus/metric.js';

const seconds = histogram({
  name: 'opencanvas_http_request_seconds',
  help: 'Requests through the framework, by route; hits of the response cache are counted apart',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
});

/** Latency per route for /metrics: under its pattern, never its address, because labels must not grow with what clients send. */
export function installHttpMetrics(fastify: FastifyInstance): void {
  fastify.addHook('onResponse', ({ method, routeOptions }, { statusCode, elapsedTime }, done) => {
    const status = `${Math.floor(statusCode / 100)}xx`;
    seconds.observe({ method, route: routeOptions.url ?? 'unknown', status }, elapsedTime / 1_000);
    done();
  });
}
