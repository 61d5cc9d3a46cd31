// The view of operators: liveness, readiness and the metrics of every process. Each module registers its own metrics
// (platform/prometheus/metric.ts) and details of readiness (`Readiness.addDetail`).
import { Inject, Module } from '@nestjs/common';
import { collectDefaultMetrics, register } from 'prom-client';
import { buildInfo } from '../../config/package-version.js';
import { groupTotals, observeCommits, runningGroups } from '../../common/group-commit.js';
import { Hosts } from '../hosts/hosts.js';
import { HostsModule } from '../hosts/hosts.module.js';
import { exportCounter, exportGauge, histogram } from '../prometheus/metric.js';
import { exportProcessMetrics } from '../prometheus/process-metrics.js';
import { PROCESS_ROLE, type ProcessRole } from '../cluster/process-role.js';
import { DatabaseStateJob } from './database-state.job.js';
import { Dependencies } from './dependencies.js';
import { MetricsGuard } from './metrics.guard.js';
import { OperationsController } from './operations.controller.js';
import { OperationsSummaryController } from './operations-summary.controller.js';
import { OperationsSummaryService } from './operations-summary.service.js';
import { Readiness } from './readiness.js';

/** At 10 ms, the default, an idle process wakes up a hundred times a second. `opencanvas_event_loop_delay_seconds` is exact under load. */
const EVENT_LOOP_PRECISION_MS = 1_000;

const commitSeconds = histogram({
  name: 'opencanvas_commit_seconds',
  help: 'Duration of a commit of a group, with its reads',
  labelNames: ['group'],
  buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
});
const commitItems = histogram({
  name: 'opencanvas_commit_items',
  help: 'Items of a commit of a group',
  labelNames: ['group'],
  buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
});

@Module({
  imports: [HostsModule],
  controllers: [OperationsController, OperationsSummaryController],
  providers: [Readiness, MetricsGuard, Dependencies, OperationsSummaryService, DatabaseStateJob],
  exports: [Readiness, Dependencies],
})
export class MetricsModule {
  constructor(readiness: Readiness, hosts: Hosts, dependencies: Dependencies, @Inject(PROCESS_ROLE) role: ProcessRole) {
    exportProcessMetrics(role);
    const build = { ...buildInfo(), node: process.versions.node };
    readiness.addDetail('build', () => build);
    readiness.addDetail('cluster', () => hosts.state);
    readiness.addDetail('hostWarnings', () => hosts.warnings);
    readiness.addDetail('dependencies', () => dependencies.state);
    if (register.getSingleMetric('process_cpu_seconds_total') === undefined)
      collectDefaultMetrics({ eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
    exportGauge({
      name: 'opencanvas_build_info',
      help: '1, with version, commit and Node version as labels',
      labelNames: ['version', 'commit', 'node'],
      aggregator: 'max',
      read: () => [[{ version: build.version, commit: build.commit ?? '', node: build.node }, 1] as const],
    });
    exportCounter({
      name: 'opencanvas_group_commit_total',
      help: 'Group commit: batches, items, refused items, items dropped because the client disconnected, split batches',
      labelNames: ['group', 'what'],
      read: () =>
        [...groupTotals()].flatMap(([group, stats]) =>
          Object.entries(stats).map(([what, count]) => [{ group, what }, count] as const),
        ),
    });
    observeCommits(({ group, items, ms }) => {
      commitSeconds.observe({ group }, ms / 1_000);
      commitItems.observe({ group }, items);
    });
    exportGauge({
      name: 'opencanvas_group_commit_queued',
      help: 'Items waiting for the next batch',
      labelNames: ['group'],
      read: () => [...runningGroups()].map(({ name: group, queued }) => [{ group }, queued]),
    });
  }
}
