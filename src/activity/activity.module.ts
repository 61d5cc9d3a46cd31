// Activity: facts of likes, comments, follows, items of collections and scheduled drafts. The writer of a row adds its fact in the same
// transaction (Activity). A job applies them (ActivityFold), with the handlers that other features register there, and removes them in
// the transaction of their effects. A feature that is read by others as ranges of actors describes these as an ActorRange.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { Readiness } from '../platform/metrics/readiness.js';
import { Activity } from './activity.service.js';
import { ActivityFold } from './activity-fold.service.js';
import { ActivityBatch, ActivityBatchSchema, DeadFact, DeadFactSchema } from './activity.schema.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: ActivityBatch.name, schema: ActivityBatchSchema },
      { name: DeadFact.name, schema: DeadFactSchema },
    ]),
  ],
  providers: [Activity, ActivityFold],
  exports: [Activity, ActivityFold],
})
export class ActivityModule {
  constructor(readiness: Readiness, fold: ActivityFold) {
    readiness.addDetail('activity', () => fold.state);
  }
}
