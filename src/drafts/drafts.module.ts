// Drafts: unpublished texts, and unpublished edits of posts. A group commit per host writes saves, and each save names the version that
// it continues. RevisionStore stores the replaced texts. Publishing, on request or at a scheduled time, creates the post and deletes the
// draft in one transaction. DraftTrash stores the text of a post that its author deletes, for 30 days. Exports stream an author's drafts through OwnDrafts.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ActivityModule } from '../activity/activity.module.js';
import { MediaModule } from '../media/media.module.js';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module.js';
import { PostsModule } from '../posts/posts.module.js';
import { RevisionsModule } from '../revisions/revisions.module.js';
import { UsersModule } from '../users/users.module.js';
import { DraftPublicationController } from './draft-publication.controller.js';
import { DraftPublisher } from './draft-publisher.service.js';
import { DraftSharing } from './draft-sharing.service.js';
import { DraftTrash } from './draft-trash.service.js';
import { DraftWriter } from './draft-writer.service.js';
import { Draft, DraftSchema } from './draft.schema.js';
import { DraftsSubscriber } from './drafts.subscriber.js';
import { DraftsController } from './drafts.controller.js';
import { DraftsService } from './drafts.service.js';
import { OwnDrafts } from './own-drafts.service.js';
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
  providers: [DraftsService, DraftWriter, DraftPublisher, DraftSharing, DraftTrash, OwnDrafts, DraftsSubscriber],
  exports: [OwnDrafts, DraftsService],
})
export class DraftsModule {}
