// Earlier versions of posts and drafts. Drafts store their versions through RevisionStoreService. An edit of a post calls RevisionsSubscriber
// inside its transaction.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module.js';
import { CpuPoolModule } from '../platform/cpu-pool/cpu-pool.module.js';
import { PostsModule } from '../posts/posts.module.js';
import { PostHistoryService } from './post-history.service.js';
import { PostRevisionsController } from './post-revisions.controller.js';
import { Revision, RevisionSchema } from './revision.schema.js';
import { RevisionStoreService } from './revision-store.service.js';
import { RevisionsSubscriber } from './revisions.subscriber.js';

@Module({
  imports: [
    IdempotencyModule,
    MongooseModule.forFeature([{ name: Revision.name, schema: RevisionSchema }]),
    PostsModule,
    CpuPoolModule,
  ],
  controllers: [PostRevisionsController],
  providers: [RevisionStoreService, PostHistoryService, RevisionsSubscriber],
  exports: [RevisionStoreService],
})
export class RevisionsModule {}
