// The audit of all counters: modules register their counters and the rows behind them (CounterRegistry), AuditService compares and
// repairs while the server runs. The audit reads collections directly, because it must find the mistakes of services.
// The audit writes only counters, and only for `counters repair` and the import.
import { Module } from '@nestjs/common';
import { AuditService } from './audit.service.js';
import { CounterRegistry } from './counter-registry.js';

@Module({ providers: [AuditService, CounterRegistry], exports: [AuditService, CounterRegistry] })
export class AuditModule {}
