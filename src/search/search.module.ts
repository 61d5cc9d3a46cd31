// Search over posts, people, tags and comments. The process that follows the event stream writes the index (IndexSyncService), and the web
// processes read it (IndexReaders). The index returns candidates; posts and users check their visibility for each response. The engine
// (SearchEngine in `search-index.ts`) is SQLite's FTS5, with
// an index on every host, or OpenSearch, with one for all hosts. No other module calls the engine.
import { Module } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { EventsModule } from '../platform/events/events.module.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { Readiness } from '../platform/metrics/readiness.js';
import { LeaseService } from '../platform/mongo/lease.service.js';
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
import { OpenSearchEngine } from './opensearch/opensearch-engine.js';
import { SearchEngine } from './search-index.js';
import { SearchController } from './search.controller.js';
import { SearchService } from './search.service.js';
import { SqliteEngine } from './sqlite/sqlite-engine.js';

function createEngine(config: AppConfig, leases: LeaseService): SearchEngine {
  const { openSearch, hasComments } = config.search;
  return openSearch === null ? new SqliteEngine(config) : new OpenSearchEngine({ ...openSearch, hasComments }, leases);
}

@Module({
  imports: [BlocksModule, CommentsModule, PostsModule, UsersModule, EventsModule, MetricsModule],
  controllers: [SearchController, RelatedController],
  providers: [
    { provide: SearchEngine, inject: [AppConfig, LeaseService], useFactory: createEngine },
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
