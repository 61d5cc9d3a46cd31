import { fullVersion } from '../../config/package-version.js';
import { exportGauge } from './metric.js';

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
  exportGauge({
    name: 'opencanvas_metrics_timestamp_seconds',
    help: 'Time of the latest of these metrics',
    aggregator: 'max',
    read: () => Date.now() / 1_000,
  });
}
