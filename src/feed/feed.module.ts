// Feeds of posts: ranked or by time, for all readers or for one. This module reads cards from the collection of posts, the ranking from
// ranking, followed accounts from follows, and names from users. It writes only home timelines, which are derived: HomeConsumer and the
// transaction of a follow keep them up to date. Syndication gets pages from FeedService.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { RankingModule } from '../ranking/ranking.module.js';
import { FollowsModule } from '../follows/follows.module.js';
import { UsersModule } from '../users/users.module.js';
import { FeedController } from './feed.controller.js';
import { FeedReader } from './feed-reader.js';
import { FeedService } from './feed.service.js';
import { FollowingReader } from './following-reader.js';
import { HomeConsumer } from './home-consumer.js';
import { HomeEntries } from './home-entries.js';
import { HomeFeed } from './home-feed.js';
import { HomeLimits } from './home-limits.js';
import { HomeTimelines } from './home-timelines.js';
import {
  StoredHomeEntrySchema,
  HomeTimeline,
  HomeTimelineSchema,
  MergedAuthor,
  MergedAuthorSchema,
  StoredHomeEntry,
} from './home.schema.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: HomeTimeline.name, schema: HomeTimelineSchema },
      { name: StoredHomeEntry.name, schema: StoredHomeEntrySchema },
      { name: MergedAuthor.name, schema: MergedAuthorSchema },
    ]),
    UsersModule,
    FollowsModule,
    RankingModule,
  ],
  controllers: [FeedController],
  providers: [
    ...[FeedReader, FollowingReader, FeedService],
    ...[HomeLimits, HomeTimelines, HomeEntries, HomeFeed, HomeConsumer],
  ],
  exports: [FeedService],
})
export class FeedModule {}
