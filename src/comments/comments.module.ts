// Comments and replies on posts: rows, threads, and the comment counters of posts in the same transaction. A group commit per host creates
// comments. A deletion marks rows, and registered handlers delete the rest. Interactions calls CommentsService for targets and vote
// counters in its own transactions.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ActivityModule } from '../activity/activity.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { BlocksModule } from '../blocks/blocks.module.js';
import { CounterRegistry } from '../audit/counter-registry.js';
import { byId, DailyCounts } from '../audit/daily-counts.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { CpuPoolModule } from '../platform/cpu-pool/cpu-pool.module.js';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module.js';
import { PostsModule } from '../posts/posts.module.js';
import { RenderingModule } from '../rendering/rendering.module.js';
import { RulesModule } from '../rules/rules.module.js';
import { UsersModule } from '../users/users.module.js';
import { COMMENTS_OF_POSTS, COUNTED_COMMENTS, REPLIES } from './counter-sources.js';
import { Comment, CommentSchema } from './comment.schema.js';
import { CommentChecksService } from './comment-checks.service.js';
import { CommentRemovalsService } from './comment-removals.service.js';
import { CommentDeletionsService } from './comment-deletions.service.js';
import { CommentListsController } from './comment-lists.controller.js';
import { CommentListsService } from './comment-lists.service.js';
import { CommentHtmlService } from './comment-html.service.js';
import { CommentRendererService } from './comment-renderer.service.js';
import { IndexableCommentsService } from './indexable-comments.service.js';
import { CommentWriterService } from './comment-writer.service.js';
import { OwnCommentsService } from './own-comments.service.js';
import { CommentsController } from './comments.controller.js';
import { CommentWritesService } from './comment-writes.service.js';
import { CommentsService } from './comments.service.js';
import { CommentsSubscriber } from './comments.subscriber.js';

@Module({
  imports: [
    MongooseModule.forFeature([{ name: Comment.name, schema: CommentSchema }]),
    ActivityModule,
    BlocksModule,
    ModerationModule,
    PostsModule,
    RenderingModule,
    RulesModule,
    UsersModule,
    AuditModule,
    CpuPoolModule,
    IdempotencyModule,
  ],
  controllers: [CommentListsController, CommentsController],
  providers: [
    OwnCommentsService,
    IndexableCommentsService,
    CommentChecksService,
    CommentHtmlService,
    CommentListsService,
    CommentRendererService,
    CommentsService,
    CommentWritesService,
    CommentWriterService,
    CommentDeletionsService,
    CommentRemovalsService,
    CommentsSubscriber,
  ],
  exports: [
    ...[CommentListsService, CommentRemovalsService, CommentRendererService, CommentsService, CommentWritesService],
    IndexableCommentsService,
  ],
})
export class CommentsModule {
  constructor(counters: CounterRegistry, days: DailyCounts) {
    counters.addCollection(COUNTED_COMMENTS);
    counters.addSources('comments', REPLIES);
    counters.addSources('posts', COMMENTS_OF_POSTS);
    days.add('comments', byId('comments'));
  }
}
