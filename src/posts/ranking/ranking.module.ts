// How posts are ranked, as far as readers and writers of posts need it: the formula, the two slots of ranks, the epoch that says which
// one readers use, and the marks of posts whose score may have changed. The job that recomputes ranks is the engagement room's.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ScoreEpochService } from './score-epoch.service.js';
import { SCORE_MARK_MODEL, ScoreMarkSchema } from './score-dirty-set.schema.js';
import { ScoreMarks } from './score-dirty-set.service.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: SCORE_MARK_MODEL, schema: ScoreMarkSchema }])],
  providers: [ScoreEpochService, ScoreMarks],
  exports: [ScoreEpochService, ScoreMarks],
})
export class RankingModule {}
