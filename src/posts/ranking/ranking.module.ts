// How posts are ranked: the formula, the two slots of ranks, the epoch that says which one readers use, the set of posts whose score
// may have changed and the one way to change a post (PostUpdates), and what the score job reads and writes (PostRanks, RankIndexes). The job itself is the engagement room's.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { POST_MODEL, PostSchema } from '../post.schema.js';
import { PostRanks } from './post-ranks.service.js';
import { PostUpdates } from './post-updates.service.js';
import { RankIndexes } from './rank-indexes.service.js';
import { SCORE_DIRTY_MODEL, SCORE_EPOCH_MODEL, ScoreDirtySchema, ScoreEpochSchema } from './ranking.schema.js';
import { ScoreDirtySet } from './score-dirty-set.service.js';
import { ScoreEpochService } from './score-epoch.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: POST_MODEL, schema: PostSchema },
      { name: SCORE_DIRTY_MODEL, schema: ScoreDirtySchema },
      { name: SCORE_EPOCH_MODEL, schema: ScoreEpochSchema },
    ]),
  ],
  providers: [ScoreEpochService, ScoreDirtySet, PostUpdates, PostRanks, RankIndexes],
  exports: [ScoreEpochService, ScoreDirtySet, PostUpdates, PostRanks, RankIndexes],
})
export class RankingModule {}
