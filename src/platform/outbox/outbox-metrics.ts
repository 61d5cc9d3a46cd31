import { counter, gauge, histogram } from '../prometheus/metric.js';

const rows = counter({
  name: 'opencanvas_outbox_rows_total',
  help: 'Documents that work of the outbox removed or changed, by handler',
  labelNames: ['handler'],
});
const passes = counter({
  name: 'opencanvas_outbox_passes_total',
  help: 'Passes over rows of the outbox',
  labelNames: ['topic', 'stage', 'outcome'],
});
const lag = histogram({
  name: 'opencanvas_outbox_lag_seconds',
  help: 'From the commit of a change until what follows from it is done: copies of names, lists, rows of what was deleted',
  labelNames: ['topic', 'stage'],
  buckets: [0.05, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 1_800],
});
const waiting = gauge({
  name: 'opencanvas_outbox_waiting',
  help: 'Rows of the outbox not done yet',
  aggregator: 'max',
});
const oldest = gauge({
  name: 'opencanvas_outbox_oldest_seconds',
  help: 'Age of the oldest row of the outbox not done yet',
  aggregator: 'max',
});

const told = counter({
  name: 'opencanvas_outbox_told_total',
  help: 'Rows of the outbox that this process heard, by topic',
  labelNames: ['topic'],
});

export function observeTold(topic: string, lagMs: number): void {
  told.inc({ topic });
  lag.observe({ topic, stage: 'told' }, Math.max(0, lagMs) / 1_000);
}

export function observeRows(handler: string, count: number): void {
  rows.inc({ handler }, count);
}

export function observePass(topic: string, stage: string, outcome: 'done' | 'failed', lagMs?: number): void {
  passes.inc({ topic, stage, outcome });
  if (lagMs !== undefined) lag.observe({ topic, stage }, lagMs / 1_000);
}

export function observeBacklog(backlog: { rows: number; oldestAgeMs: number }): void {
  waiting.set(backlog.rows);
  oldest.set(backlog.oldestAgeMs / 1_000);
}
