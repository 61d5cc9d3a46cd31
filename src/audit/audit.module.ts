// The audit of all counters: modules register their counters and the rows behind them (CounterRegistry), AuditService compares and
// repairs while the server runs. The `counters` command uses it. It reads collections directly, not through services, because it must
// find their mistakes. It writes only counters, and only on `counters repair`.
import { Module } from '@nestjs/common';
import { AuditService } from './audit.service.js';
import { CounterRegistry } from './counter-registry.js';

@Module({ providers: [AuditService, CounterRegistry], exports: [AuditService, CounterRegistry] })
export class AuditModule {}
