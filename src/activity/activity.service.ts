import { Injectable } from '@nestjs/common';
import { type Collection, ObjectId } from 'mongodb';
import { JobTriggers } from '../platform/jobs/job-triggers.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { encodeFacts, type Fact } from './activity-facts.js';
import { ACTIVITY_JOB, type ActivityBatch, ActivityBatchSchema } from './activity.schema.js';

/** Stores facts in the transaction of the change that they describe, so that both commit or neither does. */
@Injectable()
export class ActivityService {
  private readonly rows: Collection<ActivityBatch>;

  constructor(
    mongo: MongoService,
    private readonly triggers: JobTriggers,
  ) {
    this.rows = mongo.collection(ActivityBatchSchema);
  }

  /** Inserts one row, or two when the facts contain both likes and other kinds. */
  async add(tx: Transaction, facts: readonly Fact[]): Promise<void> {
    const { traceparent } = tx;
    const trace = traceparent === undefined ? {} : { traceparent };
    const rows = [true, false].flatMap((isSlow) => {
      const ofLane = facts.filter(({ kind }) => (kind === 'like') === isSlow);
      return ofLane.length === 0 ? [] : [{ _id: new ObjectId(), isSlow, facts: encodeFacts(ofLane), ...trace }];
    });
    await tx.insert(this.rows, rows);
    if (rows.length > 0) tx.afterCommit(() => this.triggers.fire(ACTIVITY_JOB));
  }
}
