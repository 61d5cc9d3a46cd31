// The score job: it fills the slot of ranks that readers do not use, then flips the epoch. Its timetable and its command (`rank`).
import { Module } from '@nestjs/common';
import { Readiness } from '../platform/metrics/readiness.js';
import { RankingModule } from './ranking.module.js';
import { ScoreEpochService } from './score-epoch.service.js';
import { EngagementJob } from './engagement.job.js';

@Module({ imports: [RankingModule], providers: [EngagementJob], exports: [EngagementJob] })
export class EngagementModule {
  constructor(readiness: Readiness, epochs: ScoreEpochService) {
    readiness.addDetail('ranking', () => epochs.describe());
  }
}
