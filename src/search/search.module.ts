// Search over posts, people, tags and comments. Every host has its own index. The process that follows the event stream writes the index (IndexSyncService,
// in a thread), and the web processes read it (IndexReaders, in threads). The index returns candidates; posts and users check their
// visibility for each response. The engine is SQLite's FTS5 behind the port of `search-index.ts`. No other module calls the engine.
import { Module } from '@nestjs/common';
import { EventsModule } from '../platform/events/events.module.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { Readiness } from '../platform/metrics/readiness.js';
import { BlocksModule } from '../blocks/blocks.module.js';
import { CommentsModule } from '../comments/comments.module.js';
import { PostsModule } from '../posts/posts.module.js';
import { UsersModule } from '../users/users.module.js';
import { Engagement } from './engagement.js';
import { IndexSyncService } from './index-sync.service.js';
import { IndexReaders } from './index-readers.js';
import { IndexMaintenanceService } from './index-maintenance.service.js';
import { SearchDocuments } from './search-documents.js';
import { RelatedController } from './related.controller.js';
import { RelatedPostsService } from './related-posts.service.js';
import { SearchController } from './search.controller.js';
import { SearchService } from './search.service.js';

@Module({
  imports: [BlocksModule, CommentsModule, PostsModule, UsersModule, EventsModule, MetricsModule],
  controllers: [SearchController, RelatedController],
  providers: [
    ...[SearchDocuments, Engagement, IndexReaders, IndexSyncService, IndexMaintenanceService],
    ...[SearchService, RelatedPostsService],
  ],
  exports: [SearchService, RelatedPostsService],
})
export class SearchModule {
  constructor(readiness: Readiness, feed: IndexSyncService, readers: IndexReaders) {
    readiness.addSearchCheck(() => readers.requireIndex());
    readiness.addDetail('search', () => feed.state);
  }
}
