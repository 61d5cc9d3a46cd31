// Activity: facts of likes, comments, mentions, follows, items of collections, scheduled drafts and moderation. The writer of a row adds its
// fact in the same transaction (Activity). A job (ActivityProcessorService) calls the handlers of other modules and deletes the facts in one transaction.
// Modules whose rows are read as ranges of actors return these ranges as an ActorRange.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { JobsModule } from '../platform/jobs/jobs.module.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { Readiness } from '../platform/metrics/readiness.js';
import { ActivityService } from './activity.service.js';
import { ActivityProcessorService } from './activity-processor.service.js';
import { ActivityBatch, ActivityBatchSchema, DeadFact, DeadFactSchema } from './activity.schema.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: ActivityBatch.name, schema: ActivityBatchSchema },
      { name: DeadFact.name, schema: DeadFactSchema },
    ]),
    MetricsModule,
    JobsModule,
  ],
  providers: [ActivityService, ActivityProcessorService],
  exports: [ActivityService, ActivityProcessorService],
})
export class ActivityModule {
  constructor(readiness: Readiness, fold: ActivityProcessorService) {
    readiness.addDetail('activity', () => fold.state);
  }
}
