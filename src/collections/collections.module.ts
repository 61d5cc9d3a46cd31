// Collections: named lists of posts in their owner's order, and series, in which a post has a previous and a next one. This module owns
// collections, their items and their counts of posts. Interactions owns votes and followers, and checks and counts them through
// CollectionsService inside its own transactions. A group commit per host writes items. A deletion marks rows, and registered handlers
// delete the rest.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ActivityModule } from '../activity/activity.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { BlocksModule } from '../blocks/blocks.module.js';
import { CounterRegistry } from '../audit/counter-registry.js';
import { MediaModule } from '../media/media.module.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module.js';
import { PostsModule } from '../posts/posts.module.js';
import { RulesModule } from '../rules/rules.module.js';
import { UsersModule } from '../users/users.module.js';
import { CollectionItem, CollectionItemSchema, PostSeries, PostSeriesSchema } from './collection-item.schema.js';
import { CollectionListsService } from './collection-lists.service.js';
import { NoteRemovalsService } from './note-removals.service.js';
import { OwnCollectionsService } from './own-collections.service.js';
import { CollectionPostsController } from './collection-posts.controller.js';
import { CollectionPostsService } from './collection-posts.service.js';
import { PostCollectionSchema, PostCollection } from './collection.schema.js';
import { CollectionWritesService } from './collection-writes.service.js';
import { CollectionsSubscriber } from './collections.subscriber.js';
import { CollectionsController } from './collections.controller.js';
import { CollectionsService } from './collections.service.js';
import { COLLECTIONS_OF_USERS, COUNTED_COLLECTIONS, ITEMS_OF_COLLECTIONS } from './counter-sources.js';
import { ItemWriterService } from './item-writer.service.js';
import { CollectionChecksService } from './collection-checks.service.js';
import { CollectionRemovalsService } from './collection-removals.service.js';
import { ListedCollectionsService } from './listed-collections.service.js';
import { PostSeriesService } from './post-series.service.js';
import { UserCollectionsController } from './user-collections.controller.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: PostCollection.name, schema: PostCollectionSchema },
      { name: CollectionItem.name, schema: CollectionItemSchema },
      { name: PostSeries.name, schema: PostSeriesSchema },
    ]),
    ActivityModule,
    BlocksModule,
    PostsModule,
    RulesModule,
    UsersModule,
    MediaModule,
    ModerationModule,
    AuditModule,
    IdempotencyModule,
  ],
  controllers: [CollectionsController, CollectionPostsController, UserCollectionsController],
  providers: [
    OwnCollectionsService,
    ListedCollectionsService,
    CollectionsService,
    CollectionWritesService,
    CollectionRemovalsService,
    NoteRemovalsService,
    CollectionChecksService,
    CollectionListsService,
    CollectionPostsService,
    PostSeriesService,
    ItemWriterService,
    CollectionsSubscriber,
  ],
  exports: [
    ...[ListedCollectionsService, CollectionsService, CollectionPostsService],
    ...[CollectionListsService, CollectionWritesService, CollectionRemovalsService, NoteRemovalsService],
  ],
})
export class CollectionsModule {
  constructor(counters: CounterRegistry) {
    counters.addCollection(COUNTED_COLLECTIONS);
    counters.addSources('collections', ITEMS_OF_COLLECTIONS);
    counters.addSources('users', COLLECTIONS_OF_USERS);
  }
}
