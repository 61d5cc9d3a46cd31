// Posts: cards, bodies and their earlier versions, lists by author and by id, what authors feature, and what readers did (views,
// reads, shares).
// Comments, interactions and the feed ask PostsService: whether a post may be read, for cards, and to move a post's counters inside
// their own transaction. Deletion only marks; the outbox removes the rest with the handlers registered here.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { CounterRegistry } from '../audit/counter-registry.js';
import { MediaModule } from '../media/media.module.js';
import { UsersModule } from '../users/users.module.js';
import { POST_BODY_MODEL, PostBodySchema } from './post-body.schema.js';
import { DEAD_EVENT_MODEL, DeadEventSchema } from '../views/dead-event.schema.js';
import {
  POST_EVENT_DAY_MODEL,
  POST_EVENT_MODEL,
  PostEventDaySchema,
  PostEventSchema,
} from '../views/post-event.schema.js';
import { COUNTED_POSTS, EVENT_SOURCES, PUBLISHED } from './counter-sources.js';
import { HtmlController } from './html/html.controller.js';
import { POST_HTML_MODEL, PostHtmlSchema } from './html/post-html.schema.js';
import { PostRenderer } from '../rendering/post-renderer.service.js';
import { PostHtmlService } from './html/post-html.service.js';
import { POST_MODEL, PostSchema } from './post.schema.js';
import { ListedPosts } from './listed-posts.service.js';
import { OwnPosts } from './own-posts.service.js';
import { AuthorPostsController } from './author-posts.controller.js';
import { EventConsumer } from '../views/event-consumer.service.js';
import { PostEventDays } from '../views/post-event-days.service.js';
import { PostEventWriter } from '../views/post-event-writer.service.js';
import { PostEventsController } from '../views/post-events.controller.js';
import { PostEventsService } from '../views/post-events.service.js';
import { PostRanks } from './post-ranks.service.js';
import { PostListsService } from './post-lists.service.js';
import { PostTexts } from './post-texts.service.js';
import { PostsController } from './posts.controller.js';
import { PostWritesService } from './post-writes.service.js';
import { PostsCleanup } from './posts.cleanup.js';
import { PostsService } from './posts.service.js';
import { PostHistory } from '../revisions/post-history.service.js';
import { PostRevisionsController } from '../revisions/post-revisions.controller.js';
import { REVISION_MODEL, RevisionSchema } from '../revisions/revision.schema.js';
import { RevisionStore } from '../revisions/revision-store.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: POST_MODEL, schema: PostSchema },
      { name: POST_BODY_MODEL, schema: PostBodySchema },
      { name: POST_HTML_MODEL, schema: PostHtmlSchema },
      { name: REVISION_MODEL, schema: RevisionSchema },
      { name: POST_EVENT_MODEL, schema: PostEventSchema },
      { name: POST_EVENT_DAY_MODEL, schema: PostEventDaySchema },
      { name: DEAD_EVENT_MODEL, schema: DeadEventSchema },
    ]),
    UsersModule,
    MediaModule,
  ],
  controllers: [PostsController, AuthorPostsController, PostEventsController, PostRevisionsController, HtmlController],
  providers: [
    OwnPosts,
    ListedPosts,
    PostsService,
    PostWritesService,
    PostListsService,
    PostRanks,
    PostTexts,
    PostEventWriter,
    PostHistory,
    RevisionStore,
    PostEventsService,
    PostEventDays,
    EventConsumer,
    PostsCleanup,
    PostHtmlService,
    PostRenderer,
  ],
  exports: [
    ...[OwnPosts, ListedPosts, PostsService, PostListsService, PostWritesService],
    ...[PostRanks, PostTexts, RevisionStore, PostHtmlService],
  ],
})
export class PostsModule {
  constructor(counters: CounterRegistry) {
    counters.addCollection(COUNTED_POSTS);
    counters.addSources('posts', ...EVENT_SOURCES);
    counters.addSources('users', PUBLISHED);
  }
}
