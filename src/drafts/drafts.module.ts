// Drafts: unpublished texts, and unpublished edits of posts. A group commit per host writes saves, and each save names the version that
// it continues. RevisionStoreService stores the replaced texts. Publishing, on request or at a scheduled time, creates the post and deletes the
// draft in one transaction. DraftTrashService stores the text of a post that its author deletes, for 30 days.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ActivityModule } from '../activity/activity.module.js';
import { MediaModule } from '../media/media.module.js';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module.js';
import { PostsModule } from '../posts/posts.module.js';
import { RevisionsModule } from '../revisions/revisions.module.js';
import { UsersModule } from '../users/users.module.js';
import { DraftPublicationController } from './draft-publication.controller.js';
import { DraftPublisherService } from './draft-publisher.service.js';
import { DraftSharingService } from './draft-sharing.service.js';
import { DraftTrashService } from './draft-trash.service.js';
import { DraftWriterService } from './draft-writer.service.js';
import { Draft, DraftSchema } from './draft.schema.js';
import { DraftsSubscriber } from './drafts.subscriber.js';
import { DraftsController } from './drafts.controller.js';
import { DraftsService } from './drafts.service.js';
import { ImportedDraftsService } from './imported-drafts.service.js';
import { OwnDraftsService } from './own-drafts.service.js';
import { SharedDraftsController } from './shared-drafts.controller.js';

@Module({
  imports: [
    MongooseModule.forFeature([{ name: Draft.name, schema: DraftSchema }]),
    ActivityModule,
    PostsModule,
    RevisionsModule,
    UsersModule,
    MediaModule,
    IdempotencyModule,
  ],
  controllers: [DraftsController, DraftPublicationController, SharedDraftsController],
  providers: [
    DraftsService,
    DraftWriterService,
    ImportedDraftsService,
    DraftPublisherService,
    DraftSharingService,
    DraftTrashService,
    OwnDraftsService,
    DraftsSubscriber,
  ],
  exports: [DraftsService, DraftPublisherService, ImportedDraftsService],
})
export class DraftsModule {}
