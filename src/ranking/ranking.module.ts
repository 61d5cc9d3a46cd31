// The ranking of posts: two slots of ranks, the epoch that selects one slot for readers, and the job that fills the other slot and
// flips. With the flip, the job writes lists of the orders that have no index. The feed uses ScoreEpochService and FeedListsService, and the command `rank` runs EngagementJob.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { JobsModule } from '../platform/jobs/jobs.module.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { Readiness } from '../platform/metrics/readiness.js';
import { PostsModule } from '../posts/posts.module.js';
import { EngagementJob } from './engagement.job.js';
import { StoredFeedList, StoredFeedListSchema } from './feed-list.schema.js';
import { FeedListsService } from './feed-lists.service.js';
import { StoredScoreEpochSchema, StoredScoreEpoch } from './ranking.schema.js';
import { ScoreEpochService } from './score-epoch.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: StoredScoreEpoch.name, schema: StoredScoreEpochSchema },
      { name: StoredFeedList.name, schema: StoredFeedListSchema },
    ]),
    PostsModule,
    MetricsModule,
    JobsModule,
  ],
  providers: [ScoreEpochService, FeedListsService, EngagementJob],
  exports: [ScoreEpochService, FeedListsService, EngagementJob],
})
export class RankingModule {
  constructor(readiness: Readiness, epochs: ScoreEpochService) {
    readiness.addDetail('ranking', () => epochs.describe());
  }
}
