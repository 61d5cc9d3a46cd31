import { counter, gauge, histogram } from '../platform/prometheus/metric.js';

const queries = histogram({
  name: 'opencanvas_search_seconds',
  help: 'Duration of queries of the search index, including their time in the queue, by operation and outcome',
  labelNames: ['operation', 'outcome'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5],
});
const lag = histogram({
  name: 'opencanvas_search_lag_seconds',
  help: 'Time from the commit of a change until search finds it',
  buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 30, 300],
});
const indexed = counter({
  name: 'opencanvas_search_indexed_total',
  help: 'Documents written to or removed from the search index',
});
const documents = gauge({
  name: 'opencanvas_search_documents',
  help: 'Documents of the search index, by kind',
  labelNames: ['kind'],
  aggregator: 'max',
});

export function observeQuery(operation: string, outcome: string, ms: number): void {
  queries.observe({ operation, outcome }, ms / 1_000);
}

export function observeIndexed(count: number, lagMs?: number): void {
  indexed.inc(count);
  if (lagMs !== undefined) lag.observe(Math.max(0, lagMs) / 1_000);
}

export function observeDocuments(counts: Record<string, number>): void {
  for (const [kind, count] of Object.entries(counts)) documents.set({ kind }, count);
}
