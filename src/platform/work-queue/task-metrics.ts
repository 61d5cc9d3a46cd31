import { counter, gauge, histogram } from '../prometheus/metric.js';

export const rowsTotal = counter({
  name: 'opencanvas_task_rows_total',
  help: 'Documents that tasks deleted or changed, by handler',
  labelNames: ['handler'],
});
export const runsTotal = counter({
  name: 'opencanvas_task_runs_total',
  help: 'Task runs, by outcome',
  labelNames: ['topic', 'lane', 'outcome'],
});
export const lagSeconds = histogram({
  name: 'opencanvas_task_lag_seconds',
  help: 'Time from when a task is due, or committed, until it is done',
  labelNames: ['topic', 'lane'],
  buckets: [0.05, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 1_800],
});
export const waitingTasks = gauge({
  name: 'opencanvas_tasks_waiting',
  help: 'Pending tasks',
  labelNames: ['topic', 'lane'],
  aggregator: 'max',
});
export const oldestSeconds = gauge({
  name: 'opencanvas_tasks_oldest_seconds',
  help: 'Age of the oldest pending task, without mails',
  aggregator: 'max',
});
