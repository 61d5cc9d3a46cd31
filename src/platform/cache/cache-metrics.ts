import { exportCounter, exportGauge } from '../prometheus/metric.js';
import type { CachedResponseListener } from './cached-response.listener.js';
import type { EntryWriter } from './entry-writer.js';
import type { ResponseCache } from './response-cache.js';

const byState = (counts: Record<string, number>): [{ state: string }, number][] =>
  Object.entries(counts).map(([state, count]) => [{ state }, count]);

/** What the cache counts anyway. */
export function exportCacheMetrics(listener: CachedResponseListener, writer: EntryWriter, cache: ResponseCache): void {
  exportCounter({
    name: 'opencanvas_cache_hits_total',
    help: 'Requests answered on the raw listener, by route',
    labelNames: ['route'],
    read: () => [...listener.routes].map(([route, hits]) => [{ route }, hits]),
  });
  exportCounter({
    name: 'opencanvas_cache_hit_states_total',
    help: 'What the raw listener answered with: hits, stale, staleOnError (the last answer instead of a refusal), notModified (counted as one of these too)',
    labelNames: ['state'],
    read: () => byState({ ...listener.counts, ...writer.counts }),
  });
  exportCounter({
    name: 'opencanvas_cache_total',
    help: 'Response cache behind the raw listener: answers by state, and what else happened',
    labelNames: ['state'],
    read: () => byState(cache.counts).map(([{ state }, count]) => [{ state: state.toLowerCase() }, count]),
  });
  exportGauge({ name: 'opencanvas_cache_entries', help: 'Answers held', read: () => cache.store.size });
  exportGauge({ name: 'opencanvas_cache_bytes', help: 'Bytes of the answers held', read: () => cache.store.bytes });
}
