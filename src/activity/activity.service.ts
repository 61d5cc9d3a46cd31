import { Injectable } from '@nestjs/common';
import { type ClientSession, type Collection, ObjectId } from 'mongodb';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { encodeFacts, type Fact } from './activity-facts.js';
import { type ActivityBatch, ActivityBatchSchema } from './activity.schema.js';

/** Facts are a row of the transaction that makes them, so neither exists without the other. */
@Injectable()
export class Activity {
  private readonly rows: Collection<ActivityBatch>;

  constructor(private readonly mongo: MongoService) {
    this.rows = mongo.collection(ActivityBatchSchema);
  }

  /** One row; two where likes and other facts are mixed. */
  async add(session: ClientSession, facts: readonly Fact[]): Promise<void> {
    const rows = [true, false].flatMap((isSlow) => {
      const ofLane = facts.filter(({ kind }) => (kind === 'like') === isSlow);
      return ofLane.length === 0 ? [] : [{ _id: new ObjectId(), isSlow, facts: encodeFacts(ofLane) }];
    });
    await this.mongo.batch.insert(this.rows, rows, session);
  }
}
