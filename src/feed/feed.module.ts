// Feeds of posts: ranked or by time, for all readers or for one. Reads cards from the collection of posts, asks posts for the current
// ranking, follows for whom a reader follows, users for whom a name belongs to. Writes home timelines and nothing else: those are
// derived, and kept by the outbox (HomeConsumer) and in the transaction of a follow. Syndication asks FeedService for pages.
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
  HOME_ENTRY_MODEL,
  HOME_TIMELINE_MODEL,
  HomeEntrySchema,
  HomeTimelineSchema,
  MERGED_AUTHOR_MODEL,
  MergedAuthorSchema,
} from './home.schema.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: HOME_TIMELINE_MODEL, schema: HomeTimelineSchema },
      { name: HOME_ENTRY_MODEL, schema: HomeEntrySchema },
      { name: MERGED_AUTHOR_MODEL, schema: MergedAuthorSchema },
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
