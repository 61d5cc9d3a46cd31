// The audit of all counters: rooms register what they count and the rows it is counted from (CounterRegistry), AuditService compares
// and repairs while the server runs. The `counters` command uses it. Reads collections directly, not through the rooms' services,
// because it must find their mistakes; writes nothing but counters, and only on `counters repair`.
import { Global, Module } from '@nestjs/common';
import { AuditService } from './audit.service.js';
import { CounterRegistry } from './counter-registry.js';

@Global()
@Module({ providers: [AuditService, CounterRegistry], exports: [AuditService, CounterRegistry] })
export class AuditModule {}
