// The audit of all counters: modules register their counters and the rows behind them (CounterRegistry), AuditService compares and
// repairs while the server runs. The audit reads collections directly, because it must find the mistakes of services.
// The audit writes only counters, and only for `counters repair` and the import. DailyCounts has what modules count by day.
import { Module } from '@nestjs/common';
import { JobsModule } from '../platform/jobs/jobs.module.js';
import { AuditService } from './audit.service.js';
import { CounterRegistry } from './counter-registry.js';
import { CounterSampleJob } from './counter-sample.job.js';
import { DailyCounts } from './daily-counts.js';

@Module({
  imports: [JobsModule],
  providers: [AuditService, CounterRegistry, CounterSampleJob, DailyCounts],
  exports: [AuditService, CounterRegistry, DailyCounts],
})
export class AuditModule {}
