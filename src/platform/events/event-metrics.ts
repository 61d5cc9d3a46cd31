import { counter, gauge, histogram } from '../prometheus/metric.js';

export const rowsTotal = counter({
  name: 'opencanvas_outbox_rows_total',
  help: 'Documents that work of the outbox removed or changed, by handler',
  labelNames: ['handler'],
});
export const passesTotal = counter({
  name: 'opencanvas_outbox_passes_total',
  help: 'Passes over rows of the outbox',
  labelNames: ['topic', 'stage', 'outcome'],
});
export const lagSeconds = histogram({
  name: 'opencanvas_outbox_lag_seconds',
  help: 'From the commit of a change until what follows from it is done: copies of names, lists, rows of what was deleted',
  labelNames: ['topic', 'stage'],
  buckets: [0.05, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 1_800],
});
export const waitingRows = gauge({
  name: 'opencanvas_outbox_waiting',
  help: 'Rows of the outbox not done yet',
  aggregator: 'max',
});
export const oldestSeconds = gauge({
  name: 'opencanvas_outbox_oldest_seconds',
  help: 'Age of the oldest row of the outbox not done yet',
  aggregator: 'max',
});
export const toldTotal = counter({
  name: 'opencanvas_outbox_told_total',
  help: 'Rows of the outbox that this process heard, by topic',
  labelNames: ['topic'],
});
