// Feeds of posts: ranked or by time, public or personal. Syndication gets pages from FeedService, the personal feed candidates and cards.
// The module reads cards from posts, the ranking from ranking, followed accounts from follows, followed tags from tags, names from users, and list filters of
// viewers from blocks. The module writes only home timelines, which are derived data that TimelineFanout and the transaction of a follow
// update.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { BlocksModule } from '../blocks/blocks.module.js';
import { RankingModule } from '../ranking/ranking.module.js';
import { FollowsModule } from '../follows/follows.module.js';
import { TagsModule } from '../tags/tags.module.js';
import { UsersModule } from '../users/users.module.js';
import { FeedCandidatesService } from './feed-candidates.service.js';
import { FeedController } from './feed.controller.js';
import { FeedReader } from './feed-reader.js';
import { FeedService } from './feed.service.js';
import { FollowingReader } from './timelines/following-reader.js';
import { TimelineFanout } from './timelines/timeline-fanout.js';
import { TimelineEntries } from './timelines/timeline-entries.js';
import { TimelineReader } from './timelines/timeline-reader.js';
import { TimelineConfig } from './timelines/timeline-config.js';
import { Timelines } from './timelines/timelines.js';
import {
  StoredTimelineEntrySchema,
  Timeline,
  TimelineSchema,
  MergedAuthor,
  MergedAuthorSchema,
  StoredTimelineEntry,
} from './timelines/timeline.schema.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: Timeline.name, schema: TimelineSchema },
      { name: StoredTimelineEntry.name, schema: StoredTimelineEntrySchema },
      { name: MergedAuthor.name, schema: MergedAuthorSchema },
    ]),
    UsersModule,
    BlocksModule,
    FollowsModule,
    RankingModule,
    TagsModule,
  ],
  controllers: [FeedController],
  providers: [
    ...[FeedReader, FollowingReader, FeedService, FeedCandidatesService],
    ...[TimelineConfig, Timelines, TimelineEntries, TimelineReader, TimelineFanout],
  ],
  exports: [FeedService, FeedCandidatesService],
})
export class FeedModule {}
