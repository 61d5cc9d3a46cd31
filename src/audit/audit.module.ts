// The audit of all counters: what each must equal, in one table, and the tool that compares and repairs while the server runs.
// The `counters` command uses it. Reads the collections of other rooms by name, because it must find their mistakes, not share
// them; writes nothing but counters, and only when told to repair.
import { Module } from '@nestjs/common';
import { RankingModule } from '../posts/ranking/ranking.module.js';
import { AuditService } from './audit.service.js';

@Module({ imports: [RankingModule], providers: [AuditService], exports: [AuditService] })
export class AuditModule {}
