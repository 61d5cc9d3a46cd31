// Imports the data of an OpenCanvas database: `cli import opencanvas`. It writes the rows of all modules directly, as the seeds do, while
// no server uses the database. Afterwards the audit counts, the score job ranks, and ALL_CHANGED invalidates caches and search indexes.
// Stages (*.stage.ts) convert source rows. StageRun stores a batch, its checkpoint and its report in one transaction.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuditModule } from '../audit/audit.module.js';
import { EventsModule } from '../platform/events/events.module.js';
import { HostsModule } from '../platform/hosts/hosts.module.js';
import { RankingModule } from '../ranking/ranking.module.js';
import { RenderingModule } from '../rendering/rendering.module.js';
import { ImportRow, ImportRowSchema, ImportState, ImportStateSchema } from './import.schema.js';
import { ImportService } from './import.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: ImportState.name, schema: ImportStateSchema },
      { name: ImportRow.name, schema: ImportRowSchema },
    ]),
    RankingModule,
    RenderingModule,
    AuditModule,
    EventsModule,
    HostsModule,
  ],
  providers: [ImportService],
})
export class ImportModule {}
