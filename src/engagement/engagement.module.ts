// The ranking of posts: the formula, the two slots of ranks and the epoch that says which one readers use, the job that fills the
// other one, and its timetable. The feed asks EngagementService which slot to read; whoever changes what a post is scored by leaves a
// mark (ScoreMarks); `rank` is its command. Writes nothing of a post but `rank`.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { EngagementService } from './engagement.service.js';
import { ScoreEpochService } from './score-epoch.service.js';
import { SCORE_MARK_MODEL, ScoreMarkSchema } from './score-mark.schema.js';
import { ScoreMarks } from './score-marks.service.js';
import { ScoreRuns } from './score-runs.service.js';
import { ScoreSchedule } from './score.schedule.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: SCORE_MARK_MODEL, schema: ScoreMarkSchema }])],
  providers: [EngagementService, ScoreEpochService, ScoreMarks, ScoreRuns, ScoreSchedule],
  exports: [EngagementService, ScoreEpochService, ScoreMarks],
})
export class EngagementModule {}
