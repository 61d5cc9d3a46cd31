// What operators see: liveness, readiness and the measures of every process. Each room registers its own metrics
// (platform/prometheus/metric.ts) and details of readiness (`Readiness.addDetail`).
import { Global, Module } from '@nestjs/common';
import { OperationsController } from './operations.controller.js';
import { exportProcessMetrics } from './process-metrics.js';
import { Readiness } from './readiness.js';
import { OutboxSchedule } from '../outbox/outbox.schedule.js';

@Global()
@Module({
  controllers: [OperationsController],
  providers: [Readiness],
  exports: [Readiness],
})
export class MetricsModule {
  constructor(readiness: Readiness, outbox: OutboxSchedule) {
    exportProcessMetrics();
    readiness.addDetail('outbox', () => outbox.state);
  }
}
