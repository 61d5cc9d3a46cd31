import { counter, gauge, histogram } from '../metrics/metric.js';

const rows = counter({
  name: 'opencanvas_sweep_rows_total',
  help: 'Rows the sweeper removed or changed, by handler',
  labelNames: ['handler'],
});
const tasks = counter({
  name: 'opencanvas_sweep_tasks_total',
  help: 'Passes over tasks of the sweeper',
  labelNames: ['kind', 'pass', 'outcome'],
});
const lag = histogram({
  name: 'opencanvas_sweep_lag_seconds',
  help: 'From the commit of a change until its copies and lists follow: renames, ended accounts',
  labelNames: ['kind'],
  buckets: [0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1_800],
});
const backlogTasks = gauge({
  name: 'opencanvas_sweep_backlog_tasks',
  help: 'Tasks waiting for the sweeper',
  aggregator: 'max',
});
const backlogAge = gauge({
  name: 'opencanvas_sweep_backlog_age_seconds',
  help: 'Age of the oldest waiting task',
  aggregator: 'max',
});

export function observeRows(handler: string, count: number): void {
  rows.inc({ handler }, count);
}

export function observeTask(kind: string, pass: string, outcome: 'done' | 'failed'): void {
  tasks.inc({ kind, pass, outcome });
}

export function observeEarlyPass(kind: string, lagMs: number): void {
  lag.observe({ kind }, lagMs / 1_000);
}

export function observeBacklog(backlog: { tasks: number; oldestAgeMs: number }): void {
  backlogTasks.set(backlog.tasks);
  backlogAge.set(backlog.oldestAgeMs / 1_000);
}
