// Exports: all data of an account as a ZIP, which its owner may request once a day. The jobs process writes the ZIP as a blob from the
// methods of all modules with @Exported, and deletes it after seven days or with the account. Anyone with the signed link may read the ZIP.
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { MongooseModule } from '@nestjs/mongoose';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { BlobsModule } from '../platform/blobs/blobs.module.js';
import { UsersModule } from '../users/users.module.js';
import { ExportArchive } from './export-archive.js';
import { Export, ExportSchema } from './export.schema.js';
import { ExportWorker } from './export-worker.js';
import { ExportsController } from './exports.controller.js';
import { ExportsService } from './exports.service.js';

@Module({
  imports: [
    IdempotencyModule,
    MongooseModule.forFeature([{ name: Export.name, schema: ExportSchema }]),
    AuthModule,
    UsersModule,
    BlobsModule,
    DiscoveryModule,
  ],
  controllers: [ExportsController],
  providers: [ExportsService, ExportArchive, ExportWorker],
})
export class ExportsModule {}
