import type { FastifyInstance } from 'fastify';
import { exportCounter, exportGauge, histogram } from '../prometheus/metric.js';
import type { ConcurrencyLimiter } from './concurrency-limiter.js';

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

export function exportLimiterMetrics(limiter: ConcurrencyLimiter): void {
  exportGauge({
    name: 'opencanvas_event_loop_delay_seconds',
    help: 'Smoothed delay of the event loop, the worst process of the host',
    aggregator: 'max',
    read: () => limiter.eventLoopDelayMs / 1_000,
  });
  exportGauge({
    name: 'opencanvas_requests_in_flight',
    help: 'Requests inside the framework',
    read: () => limiter.inFlight,
  });
  exportGauge({
    name: 'opencanvas_reads_waiting',
    help: 'Of these, reads in the queue',
    read: () => limiter.waiting,
  });
  exportCounter({
    name: 'opencanvas_admission_refused_total',
    help: 'Requests refused because the server was busy',
    read: () => limiter.refused,
  });
}
