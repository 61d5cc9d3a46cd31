import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { JobsRunner } from '../platform/jobs/jobs-runner.js';
import { EngagementService } from './engagement.service.js';

/** how often the database is asked whether a run is due: any host may have done it, or died doing it */
const LOOK_EVERY_MS = 30_000;

/** The timetable of the score: every ENGAGEMENT_INTERVAL_MINUTES over all hosts together, counted from the last run. */
@Injectable()
export class ScoreSchedule implements OnApplicationBootstrap {
  constructor(
    private readonly engagement: EngagementService,
    private readonly jobs: JobsRunner,
    private readonly config: AppConfig,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.config.jobs.isEnabled) return;
    const everyMs = Math.min(LOOK_EVERY_MS, this.config.engagement.intervalMinutes * 60_000);
    this.jobs.every('score', everyMs, async (signal) => {
      if (await this.engagement.isDue()) await this.engagement.run({ signal });
    });
  }
}
