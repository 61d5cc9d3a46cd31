import { exportCounter, exportGauge } from '../../prometheus/metric.js';

type LimiterFigures = { eventLoopDelayMs: number; inFlight: number; waiting: number; shed: number };

export function exportLimiterMetrics(limiter: LimiterFigures): void {
  exportGauge({
    name: 'opencanvas_event_loop_delay_seconds',
    help: 'Smoothed delay of the event loop, the worst process of the host',
    aggregator: 'max',
    read: () => limiter.eventLoopDelayMs / 1_000,
  });
  exportGauge({
    name: 'opencanvas_requests_in_flight',
    help: 'Requests in the framework',
    read: () => limiter.inFlight,
  });
  exportGauge({ name: 'opencanvas_reads_waiting', help: 'Reads in the queue', read: () => limiter.waiting });
  exportCounter({
    name: 'opencanvas_admission_refused_total',
    help: 'Requests refused because the server was busy',
    read: () => limiter.shed,
  });
}
