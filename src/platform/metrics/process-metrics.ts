import { Injectable, type OnModuleInit } from '@nestjs/common';
import { collectDefaultMetrics, register } from 'prom-client';
import { runningGroups } from '../../common/group-commit.js';
import { CachedResponseListener } from '../cache/cached-response.listener.js';
import { EntryWriter } from '../cache/entry-writer.js';
import { ResponseCache } from '../cache/response-cache.js';
import { ConcurrencyLimiter } from '../http/concurrency-limiter.js';
import { ConnectionGuard } from '../http/connection-guard.js';
import { counter, gauge } from '../prometheus/metric.js';

// the first to be registered, so the first to be read: it brings the others up to date
const lag = gauge({
  name: 'opencanvas_event_loop_delay_seconds',
  help: 'Smoothed delay of the event loop, the worst process of the host',
  aggregator: 'max',
});
const cacheHits = counter({
  name: 'opencanvas_cache_hits_total',
  help: 'Requests answered on the raw listener, by route',
  labelNames: ['route'] as const,
});
const cacheHitStates = counter({
  name: 'opencanvas_cache_hit_states_total',
  help: 'What the raw listener answered with: hits, stale, staleOnError (the last answer instead of a refusal), notModified (counted as one of these too)',
  labelNames: ['state'] as const,
});
const cache = counter({
  name: 'opencanvas_cache_total',
  help: 'Response cache behind the raw listener: answers by state, and what else happened',
  labelNames: ['state'] as const,
});
const cacheEntries = gauge({ name: 'opencanvas_cache_entries', help: 'Answers held' });
const cacheBytes = gauge({ name: 'opencanvas_cache_bytes', help: 'Bytes of the answers held' });
const refused = counter({
  name: 'opencanvas_admission_refused_total',
  help: 'Requests refused because the server was busy',
});
const closed = counter({
  name: 'opencanvas_connections_closed_total',
  help: 'Connections closed on their client: refused (too many of one address), cut (left an answer unread)',
  labelNames: ['why'] as const,
});
const inFlight = gauge({ name: 'opencanvas_requests_in_flight', help: 'Requests inside the framework' });
const readsWaiting = gauge({
  name: 'opencanvas_reads_waiting',
  help: 'Of these, reads that wait for their turn to begin',
});
const batches = counter({
  name: 'opencanvas_group_commit_total',
  help: 'Group commit: batches, items in them, items given to the process that commits for the host, refused items, items dropped because their client had left, halved batches',
  labelNames: ['group', 'what'] as const,
});
const queued = gauge({
  name: 'opencanvas_group_commit_queued',
  help: 'Items waiting for the next batch',
  labelNames: ['group'] as const,
});

/**
 * The measures of one process: what already counts is read when metrics are asked for, so that counting costs the hot path nothing.
 */
@Injectable()
export class ProcessMetrics implements OnModuleInit {
  constructor(
    private readonly listener: CachedResponseListener,
    private readonly writer: EntryWriter,
    private readonly cache: ResponseCache,
    private readonly limiter: ConcurrencyLimiter,
    private readonly connections: ConnectionGuard,
  ) {}

  onModuleInit(): void {
    if (register.getSingleMetric('process_cpu_seconds_total') === undefined) collectDefaultMetrics();
    (lag as unknown as { collect: () => void }).collect = () => this.read();
  }

  private read(): void {
    lag.set(this.limiter.eventLoopDelayMs / 1_000);
    inFlight.set(this.limiter.inFlight);
    readsWaiting.set(this.limiter.waiting);
    cacheEntries.set(this.cache.store.size);
    cacheBytes.set(this.cache.store.bytes);
    for (const total of [refused, closed, cacheHits, cacheHitStates, cache, batches]) total.reset();
    refused.inc(this.limiter.refused);
    for (const [why, count] of Object.entries(this.connections.counts)) closed.inc({ why }, count);
    for (const [route, hits] of this.listener.routes) cacheHits.inc({ route }, hits);
    for (const [state, count] of Object.entries({ ...this.listener.counts, ...this.writer.counts }))
      cacheHitStates.inc({ state }, count);
    for (const [state, count] of Object.entries(this.cache.counts)) cache.inc({ state: state.toLowerCase() }, count);
    for (const group of runningGroups()) {
      const { batches: runs, items, refused: turnedAway, gone, split } = group.stats;
      for (const [what, count] of Object.entries({ batches: runs, items, refused: turnedAway, gone, split }))
        batches.inc({ group: group.name, what }, count);
      queued.set({ group: group.name }, group.queued);
    }
  }
}
