import { collectDefaultMetrics, register } from 'prom-client';
import { runningGroups } from '../../common/group-commit.js';
import { exportCounter, exportGauge } from '../prometheus/metric.js';

/** What belongs to the process and to no room: node's own measures, and the group commits that run in it. */
export function exportProcessMetrics(): void {
  if (register.getSingleMetric('process_cpu_seconds_total') === undefined) collectDefaultMetrics();
  exportCounter({
    name: 'opencanvas_group_commit_total',
    help: 'Group commit: batches, items in them, refused items, items dropped because their client had left, halved batches',
    labelNames: ['group', 'what'],
    read: () =>
      [...runningGroups()].flatMap(({ name: group, stats }) =>
        Object.entries(stats).map(([what, count]) => [{ group, what }, count] as const),
      ),
  });
  exportGauge({
    name: 'opencanvas_group_commit_queued',
    help: 'Items waiting for the next batch',
    labelNames: ['group'],
    read: () => [...runningGroups()].map(({ name: group, queued }) => [{ group }, queued]),
  });
}
