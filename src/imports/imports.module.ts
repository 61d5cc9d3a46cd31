// Imports: archives of other platforms, pages and feeds, whose posts become drafts with their dates and images. A task reads the archive post by post, each
// in a transaction of its own, and another publishes the drafts with times in the past. `formats/` has a pure reader for each platform.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { DraftsModule } from '../drafts/drafts.module.js';
import { MediaModule } from '../media/media.module.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { BlobsModule } from '../platform/blobs/blobs.module.js';
import { CpuPoolModule } from '../platform/cpu-pool/cpu-pool.module.js';
import { OutgoingModule } from '../platform/safe-http/outgoing.module.js';
import { SiteSettingsModule } from '../platform/site-settings/site-settings.module.js';
import { PostsModule } from '../posts/posts.module.js';
import { SiteAddresses } from '../syndication/site-addresses.js';
import { UsersModule } from '../users/users.module.js';
import { ArchiveEntries } from './archive-entries.js';
import { ArchiveImages } from './archive-images.js';
import { ArchiveEntryRow, ArchiveEntrySchema, ArchiveImport, ArchiveImportSchema } from './import.schema.js';
import { ImportPublisher } from './import-publisher.js';
import { ImportReader } from './import-reader.js';
import { ImportWorker } from './import-worker.js';
import { ImportedLinks } from './imported-links.js';
import { ImportsController } from './imports.controller.js';
import { ImportsService } from './imports.service.js';
import { MarkdownAddresses } from './markdown-addresses.js';
import { WebPages } from './web-pages.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: ArchiveImport.name, schema: ArchiveImportSchema },
      { name: ArchiveEntryRow.name, schema: ArchiveEntrySchema },
    ]),
    DraftsModule,
    PostsModule,
    MediaModule,
    ModerationModule,
    UsersModule,
    SiteSettingsModule,
    BlobsModule,
    CpuPoolModule,
    OutgoingModule,
  ],
  controllers: [ImportsController],
  providers: [
    ...[ImportsService, ImportWorker, ImportReader, ImportPublisher, ImportedLinks],
    ...[ArchiveEntries, ArchiveImages, MarkdownAddresses, SiteAddresses, WebPages],
  ],
})
export class ImportsModule {}
