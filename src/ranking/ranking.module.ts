// How posts are ranked: the formula, the two slots of ranks, the epoch that says which one readers use, and what the score job reads and
// writes (PostRanks). The job itself is the engagement room's.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { POST_MODEL, PostSchema } from '../posts/post.schema.js';
import { PostRanks } from '../posts/post-ranks.service.js';
import { SCORE_EPOCH_MODEL, ScoreEpochSchema } from './ranking.schema.js';
import { ScoreEpochService } from './score-epoch.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: POST_MODEL, schema: PostSchema },
      { name: SCORE_EPOCH_MODEL, schema: ScoreEpochSchema },
    ]),
  ],
  providers: [ScoreEpochService, PostRanks],
  exports: [ScoreEpochService, PostRanks],
})
export class RankingModule {}
