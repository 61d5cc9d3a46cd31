// Moves the data of an OpenCanvas database in: `cli import opencanvas`. It writes the rows of every room itself, as the seeds do, while
// no server runs on the database; then the audit counts, the score job ranks, and ALL_CHANGED drops caches and search indexes.
// Stages (*.stage.ts) turn source rows into rows of ours; StageRun stores a batch, its checkpoint and its report in one transaction.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
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
  ],
  providers: [ImportService],
})
export class ImportModule {}
