// Uploaded images: re-encoded in a process of low priority, served under immutable names, and deleted after a day without references.
// Posts, drafts and collections store their references in their own transactions (MediaRefsService).
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module.js';
import { MultipartModule } from '@nestjs/platform-fastify/multipart';
import { AppConfig } from '../config/app-config.js';
import { JobsModule } from '../platform/jobs/jobs.module.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { Dependencies } from '../platform/metrics/dependencies.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { OutgoingModule } from '../platform/safe-http/outgoing.module.js';
import { UsersModule } from '../users/users.module.js';
import { BlobMediaFiles } from './blob-media-files.js';
import { MediaAuditService } from './media-audit.service.js';
import { MediaSubscriber } from './media.subscriber.js';
import { MediaController } from './media.controller.js';
import { MediaFiles } from './media-files.js';
import { MediaFilesController } from './media-files.controller.js';
import { MediaRef, MediaRefSchema } from './media-ref.schema.js';
import { MediaModerationController } from './media-moderation.controller.js';
import { MediaModerationService } from './media-moderation.service.js';
import { MediaRefsService } from './media-refs.service.js';
import { MediaDeletionsService } from './media-deletions.service.js';
import { Media, MediaSchema } from './media.schema.js';
import { MediaService } from './media.service.js';
import { UnusedMediaJob } from './unused-media.job.js';
import { MediaUploadsService } from './media-uploads.service.js';
import { OwnMediaService } from './own-media.service.js';
import { KeyedUploadsService } from './keyed-uploads.service.js';
import { ImageLookupService } from './image-lookup.service.js';
import { ImageProcessor } from './image-processor.js';
import { S3MediaFiles } from './s3-media-files.js';
import { storageIn, UploadDirectory } from './upload-directory.js';

@Module({
  imports: [
    IdempotencyModule,
    MongooseModule.forFeature([
      { name: Media.name, schema: MediaSchema },
      { name: MediaRef.name, schema: MediaRefSchema },
    ]),
    MultipartModule.registerAsync({
      inject: [AppConfig],
      useFactory: ({ media }: AppConfig) => ({ storage: storageIn(media.directory) }),
    }),
    ModerationModule,
    UsersModule,
    MetricsModule,
    OutgoingModule,
    JobsModule,
  ],
  controllers: [MediaController, MediaFilesController, MediaModerationController],
  providers: [
    {
      provide: MediaFiles,
      inject: [AppConfig, MongoService, Dependencies],
      useFactory: ({ media: { s3 } }: AppConfig, mongo: MongoService, dependencies: Dependencies) => {
        if (s3 === undefined) return new BlobMediaFiles(mongo);
        const files = new S3MediaFiles(s3);
        const consequence = 'Uploads and files of images get 503 until it does: check MEDIA_S3_*.';
        dependencies.watch({ name: 's3', probe: () => files.probe(), consequence });
        return files;
      },
    },
    MediaService,
    MediaModerationService,
    MediaUploadsService,
    KeyedUploadsService,
    MediaRefsService,
    MediaDeletionsService,
    UnusedMediaJob,
    MediaSubscriber,
    MediaAuditService,
    OwnMediaService,
    ImageLookupService,
    ImageProcessor,
    UploadDirectory,
  ],
  exports: [
    ...[MediaModerationService, MediaRefsService, MediaUploadsService],
    ...[MultipartModule, ImageLookupService, UploadDirectory],
  ],
})
export class MediaModule {}
