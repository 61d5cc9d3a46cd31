// The audit of all counters: what each must equal, in one table, and the tool that compares and repairs while the server runs.
// The `counters` command uses it. Reads the collections of other rooms by name, because it must find their mistakes, not share
// them; writes nothing but counters, and only when told to repair.
import { Module } from '@nestjs/common';
import { EngagementModule } from '../engagement/engagement.module.js';
import { CountersService } from './counters.service.js';

@Module({ imports: [EngagementModule], providers: [CountersService], exports: [CountersService] })
export class CountersModule {}
