// The personal feed of an account. AffinitiesService owns what an account prefers (from likes, saves and feedback), FeedSnapshotsService the
// ranked feeds that cursors page through for 30 minutes. Other rooms return the candidates and the cards; no other module calls this one.
// A hook deletes the rows of an account that switches personal lists off. The work queue deletes those of a deleted account.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { BlocksModule } from '../blocks/blocks.module.js';
import { FeedModule } from '../feed/feed.module.js';
import { InteractionsModule } from '../interactions/interactions.module.js';
import { PostsModule } from '../posts/posts.module.js';
import { SearchModule } from '../search/search.module.js';
import { UsersModule } from '../users/users.module.js';
import { AffinitiesService } from './affinities.service.js';
import { Affinities, AffinitiesSchema } from './affinities.schema.js';
import { FeedSnapshot, FeedSnapshotSchema } from './feed-snapshot.schema.js';
import { FeedSnapshotsService } from './feed-snapshots.service.js';
import { ForYouController } from './for-you.controller.js';
import { ForYouService } from './for-you.service.js';
import { ForYouSubscriber } from './for-you.subscriber.js';
import { PersonalRankingService } from './personal-ranking.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: Affinities.name, schema: AffinitiesSchema },
      { name: FeedSnapshot.name, schema: FeedSnapshotSchema },
    ]),
    ...[BlocksModule, FeedModule, InteractionsModule, PostsModule, SearchModule, UsersModule],
  ],
  controllers: [ForYouController],
  providers: [AffinitiesService, FeedSnapshotsService, PersonalRankingService, ForYouService, ForYouSubscriber],
})
export class ForYouModule {}
