// Feeds of posts: ranked or by time, for all readers or for one. Reads only. Reads cards from the collection of posts, asks posts
// for the current ranking, follows for whom a reader follows, users for whom a name belongs to. No other room calls it.
import { Module } from '@nestjs/common';
import { RankingModule } from '../posts/ranking/ranking.module.js';
import { FollowsModule } from '../follows/follows.module.js';
import { UsersModule } from '../users/users.module.js';
import { FeedController } from './feed.controller.js';
import { FeedReader } from './feed-reader.js';
import { FeedService } from './feed.service.js';
import { FeedHeadCache } from './feed-head-cache.js';
import { FollowingReader } from './following-reader.js';

@Module({
  imports: [UsersModule, FollowsModule, RankingModule],
  controllers: [FeedController],
  providers: [FeedReader, FeedHeadCache, FollowingReader, FeedService],
})
export class FeedModule {}
