// What operators see: liveness, readiness and the measures of every process. Platform rooms are measured here; features add
// metrics of their own through prom-client's registry and details of readiness through `Readiness.addDetail`.
import { Global, Module } from '@nestjs/common';
import { OperationsController } from './operations.controller.js';
import { ProcessMetrics } from './process-metrics.js';
import { Readiness } from './readiness.js';
import { OutboxSchedule } from '../outbox/outbox.schedule.js';

@Global()
@Module({
  controllers: [OperationsController],
  providers: [ProcessMetrics, Readiness],
  exports: [Readiness],
})
export class MetricsModule {
  constructor(readiness: Readiness, outbox: OutboxSchedule) {
    readiness.addDetail('outbox', () => outbox.state);
  }
}
