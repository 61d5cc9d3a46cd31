// Posts: cards, bodies and their HTML, lists by author and by id, and featured posts.
// Comments, interactions and the feed use PostsService for access checks, for cards, and to change a post's counters inside their own
// transactions. Deletion only marks a post, and the handlers registered here delete the rest.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ActivityModule } from '../activity/activity.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { BlocksModule } from '../blocks/blocks.module.js';
import { CounterRegistry } from '../audit/counter-registry.js';
import { DailyCounts } from '../audit/daily-counts.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { MediaModule } from '../media/media.module.js';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module.js';
import { RenderingModule } from '../rendering/rendering.module.js';
import { RulesModule } from '../rules/rules.module.js';
import { UsersModule } from '../users/users.module.js';
import { PostBody, PostBodySchema } from './post-body.schema.js';
import { COUNTED_POSTS, PUBLISHED } from './counter-sources.js';
import { HtmlController } from './html/html.controller.js';
import { PostHtml, PostHtmlSchema } from './html/post-html.schema.js';
import { PostHtmlService } from './html/post-html.service.js';
import { POSTS } from './post-counters.js';
import { Post, PostSchema } from './post.schema.js';
import { PublicPostsByMonthService } from './public-posts-by-month.service.js';
import { PostChecksService } from './post-checks.service.js';
import { PostExportService } from './post-export.service.js';
import { AuthorPostsController } from './author-posts.controller.js';
import { PostRanksService } from './post-ranks.service.js';
import { PostRemovalsService } from './post-removals.service.js';
import { PostListsService } from './post-lists.service.js';
import { IndexablePostsService } from './indexable-posts.service.js';
import { ContentFormatsService } from './content-formats.service.js';
import { PostsController } from './posts.controller.js';
import { PostDeletionsService } from './post-deletions.service.js';
import { PostLocksService } from './post-locks.service.js';
import { PostWritesService } from './post-writes.service.js';
import { StoredPostsService } from './stored-posts.service.js';
import { PostsSubscriber } from './posts.subscriber.js';
import { PostsService } from './posts.service.js';
import { LISTED } from './visibility.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: Post.name, schema: PostSchema },
      { name: PostBody.name, schema: PostBodySchema },
      { name: PostHtml.name, schema: PostHtmlSchema },
    ]),
    ActivityModule,
    BlocksModule,
    RenderingModule,
    RulesModule,
    UsersModule,
    MediaModule,
    ModerationModule,
    AuditModule,
    IdempotencyModule,
  ],
  controllers: [PostsController, AuthorPostsController, HtmlController],
  providers: [
    PostChecksService,
    PostExportService,
    PublicPostsByMonthService,
    ContentFormatsService,
    PostsService,
    StoredPostsService,
    PostWritesService,
    PostDeletionsService,
    PostLocksService,
    PostListsService,
    PostRemovalsService,
    PostRanksService,
    IndexablePostsService,
    PostsSubscriber,
    PostHtmlService,
  ],
  exports: [
    ...[PublicPostsByMonthService, PostsService, PostListsService, PostWritesService],
    ...[PostDeletionsService, PostLocksService, ContentFormatsService],
    ...[PostRanksService, PostRemovalsService, IndexablePostsService, PostHtmlService, PostChecksService],
  ],
})
export class PostsModule {
  constructor(counters: CounterRegistry, days: DailyCounts) {
    counters.addCollection(COUNTED_POSTS);
    counters.addSources('users', PUBLISHED);
    days.add('posts', (db, { from, to }) =>
      db.collection(POSTS).countDocuments({ ...LISTED, createdAt: { $gte: from, $lt: to } }),
    );
  }
}
