// Interactions: votes on posts, comments and collections, saved posts, followed collections (and the viewer's own ones for many targets). A
// group commit per host changes the row, the target's counters and the pending likes of its author in one transaction; a job adds these
// likes a second later. Hidden posts (HiddenPostsService) are rows without counters. Registered handlers delete the rows of deleted posts,
// comments, collections and accounts.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ActivityModule } from '../activity/activity.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { BlocksModule } from '../blocks/blocks.module.js';
import { CounterRegistry } from '../audit/counter-registry.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { CommentsModule } from '../comments/comments.module.js';
import { FollowsModule } from '../follows/follows.module.js';
import { PostsModule } from '../posts/posts.module.js';
import { UsersModule } from '../users/users.module.js';
import { FOLLOWERS_OF_COLLECTIONS, votesOn } from './counter-sources.js';
import { HiddenPostsService } from './hidden-posts.service.js';
import { Interaction, InteractionSchema } from './interaction.schema.js';
import { InteractionWriterService } from './interaction-writer.service.js';
import { OwnInteractionsService } from './own-interactions.service.js';
import { CollectionInteractionsController } from './collection-interactions.controller.js';
import { InteractionsController } from './interactions.controller.js';
import { InteractionsService } from './interactions.service.js';
import { InteractionsSubscriber } from './interactions.subscriber.js';

@Module({
  imports: [
    MongooseModule.forFeature([{ name: Interaction.name, schema: InteractionSchema }]),
    ActivityModule,
    BlocksModule,
    PostsModule,
    CommentsModule,
    CollectionsModule,
    FollowsModule,
    UsersModule,
    AuditModule,
  ],
  controllers: [InteractionsController, CollectionInteractionsController],
  providers: [
    OwnInteractionsService,
    HiddenPostsService,
    InteractionsService,
    InteractionWriterService,
    InteractionsSubscriber,
  ],
  exports: [InteractionsService],
})
export class InteractionsModule {
  constructor(counters: CounterRegistry) {
    counters.addSources('posts', votesOn('Post'));
    counters.addSources('comments', votesOn('Comment'));
    counters.addSources('collections', votesOn('Collection'), FOLLOWERS_OF_COLLECTIONS);
  }
}
