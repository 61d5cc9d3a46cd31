import { fullVersion } from '../../config/package-version.js';
import { exportGauge } from './metric.js';

/** Exports what this process uses, by its pid. These are gauges, because a gauge ends with its process. @param role also `primary` */
export function exportProcessMetrics(role: string): void {
  const labels = { role, pid: String(process.pid), version: fullVersion() };
  const ofProcess = (name: string, help: string, read: () => number): void => {
    exportGauge({ name, help, labelNames: ['role', 'pid', 'version'], read: () => [[labels, read()]] });
  };
  ofProcess('opencanvas_process_memory_bytes', 'Resident memory of a process', () => process.memoryUsage.rss());
  ofProcess('opencanvas_process_cpu_seconds', 'CPU time of a process, without child processes', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  exportGauge({
    name: 'opencanvas_metrics_timestamp_seconds',
    help: 'Time of the latest of these metrics',
    aggregator: 'max',
    read: () => Date.now() / 1_000,
  });
}
