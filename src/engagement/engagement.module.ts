// The engagement job: recomputes the ranks of posts into the slot that readers do not use, then flips the epoch; its timetable and its
// command (`rank`). It stands above posts and reaches them through PostRanks, RankIndexes and ScoreEpochService.
import { Module } from '@nestjs/common';
import { RankingModule } from '../posts/ranking/ranking.module.js';
import { EngagementService } from './engagement.service.js';
import { ScoreRuns } from './score-runs.service.js';
import { SlotRebuild } from './slot-rebuild.service.js';
import { SlotRefresh } from './slot-refresh.service.js';

@Module({
  imports: [RankingModule],
  providers: [EngagementService, ScoreRuns, SlotRebuild, SlotRefresh],
  exports: [EngagementService],
})
export class EngagementModule {}
