// Exports: all data of an account as a ZIP, which its owner may request once a day. The jobs process writes the ZIP as a blob from the
// streams of the other modules, and deletes it after seven days or with the account. Anyone with the signed link may read the ZIP.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ActionsModule } from '../actions/actions.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { BlocksModule } from '../blocks/blocks.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { CommentsModule } from '../comments/comments.module.js';
import { DraftsModule } from '../drafts/drafts.module.js';
import { FollowsModule } from '../follows/follows.module.js';
import { InteractionsModule } from '../interactions/interactions.module.js';
import { MediaModule } from '../media/media.module.js';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { BlobsModule } from '../platform/blobs/blobs.module.js';
import { PostsModule } from '../posts/posts.module.js';
import { RegistrationModule } from '../registration/registration.module.js';
import { ReportsModule } from '../reports/reports.module.js';
import { UsersModule } from '../users/users.module.js';
import { ExportArchive } from './export-archive.js';
import { Export, ExportSchema } from './export.schema.js';
import { ExportWorker } from './export-worker.js';
import { ExportsController } from './exports.controller.js';
import { ExportsService } from './exports.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([{ name: Export.name, schema: ExportSchema }]),
    ActionsModule,
    AuthModule,
    UsersModule,
    PostsModule,
    DraftsModule,
    CommentsModule,
    InteractionsModule,
    FollowsModule,
    BlocksModule,
    CollectionsModule,
    MediaModule,
    NotificationsModule,
    RegistrationModule,
    ReportsModule,
    BlobsModule,
  ],
  controllers: [ExportsController],
  providers: [ExportsService, ExportArchive, ExportWorker],
})
export class ExportsModule {}
