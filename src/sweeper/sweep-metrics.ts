import { Counter, Gauge, Histogram, register } from 'prom-client';
import type { SweepBacklog } from './sweeper.service.js';

const rows = metric(
  'opencanvas_sweep_rows_total',
  (name) => new Counter({ name, help: 'Rows the sweeper removed or changed, by handler', labelNames: ['handler'] }),
);
const tasks = metric(
  'opencanvas_sweep_tasks_total',
  (name) => new Counter({ name, help: 'Passes over tasks of the sweeper', labelNames: ['kind', 'pass', 'outcome'] }),
);
const lag = metric(
  'opencanvas_sweep_lag_seconds',
  (name) =>
    new Histogram({
      name,
      help: 'From the commit of a change until its copies and lists follow: renames, ended accounts',
      labelNames: ['kind'],
      buckets: [0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1_800],
    }),
);
const backlogTasks = metric(
  'opencanvas_sweep_backlog_tasks',
  (name) => new Gauge({ name, help: 'Tasks waiting for the sweeper', aggregator: 'max' }),
);
const backlogAge = metric(
  'opencanvas_sweep_backlog_age_seconds',
  (name) => new Gauge({ name, help: 'Age of the oldest waiting task', aggregator: 'max' }),
);

export function observeRows(handler: string, count: number): void {
  rows.inc({ handler }, count);
}

export function observeTask(kind: string, pass: string, outcome: 'done' | 'failed'): void {
  tasks.inc({ kind, pass, outcome });
}

export function observeEarlyPass(kind: string, lagMs: number): void {
  lag.observe({ kind }, lagMs / 1_000);
}

export function observeBacklog(backlog: SweepBacklog): void {
  backlogTasks.set(backlog.tasks);
  backlogAge.set(backlog.oldestAgeMs / 1_000);
}

/** Tests start several applications in one process, and the registry is the process's. */
function metric<T>(name: string, create: (name: string) => T): T {
  return (register.getSingleMetric(name) as T | undefined) ?? create(name);
}
