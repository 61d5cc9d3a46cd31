// The engagement job: recomputes the ranks of posts into the slot that readers do not use, then flips the epoch; its timetable and its
// command (`rank`). Writes nothing of a post but `rank`.
import { Module } from '@nestjs/common';
import { RankingModule } from '../posts/ranking/ranking.module.js';
import { EngagementService } from './engagement.service.js';
import { ScoreRuns } from './score-runs.service.js';
import { ScoreSchedule } from './score.schedule.js';

@Module({
  imports: [RankingModule],
  providers: [EngagementService, ScoreRuns, ScoreSchedule],
  exports: [EngagementService],
})
export class EngagementModule {}
