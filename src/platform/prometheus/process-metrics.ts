import { performance } from 'node:perf_hooks';
import { fullVersion } from '../../config/package-version.js';
import { exportCounter, exportGauge } from './metric.js';

/** Exports what this process uses, by its pid. These are gauges, because a gauge ends with its process. @param role also `primary` */
export function exportProcessMetrics(role: string): void {
  const labels = { role, pid: String(process.pid), version: fullVersion() };
  const labelNames: (keyof typeof labels)[] = ['role', 'pid', 'version'];
  exportGauge({
    name: 'opencanvas_process_memory_bytes',
    help: 'Resident memory of a process',
    labelNames,
    read: () => [[labels, process.memoryUsage.rss()]],
  });
  exportGauge({
    name: 'opencanvas_process_cpu_seconds',
    help: 'CPU time of a process, without child processes',
    labelNames,
    read: () => [[labels, (process.cpuUsage().user + process.cpuUsage().system) / 1e6]],
  });
  let seen = performance.eventLoopUtilization();
  exportGauge({
    name: 'opencanvas_loop_utilisation',
    help: 'Share of the time since the previous metrics in which the event loop of a process was busy, 0 to 1',
    labelNames,
    read: () => {
      const last = seen;
      seen = performance.eventLoopUtilization();
      return [[labels, performance.eventLoopUtilization(seen, last).utilization]];
    },
  });
  exportGauge({
    name: 'opencanvas_metrics_timestamp_seconds',
    help: 'Time of the latest of these metrics',
    aggregator: 'max',
    read: () => Date.now() / 1_000,
  });
}

/** Exports the places of a host for processes, by name, from the process that supervises them. */
export function exportSupervision(places: () => readonly { name: string; isUp: boolean; restarts: number }[]): void {
  exportGauge({
    name: 'opencanvas_process_up',
    help: '1 while a process of the host is ready',
    labelNames: ['process'],
    read: () => places().map(({ name, isUp }) => [{ process: name }, Number(isUp)] as const),
  });
  exportCounter({
    name: 'opencanvas_restarts_total',
    help: 'Processes of the host that ended on their own or were killed, and were started again',
    labelNames: ['process'],
    read: () => places().map(({ name, restarts }) => [{ process: name }, restarts] as const),
  });
}
