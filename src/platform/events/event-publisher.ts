import { Injectable } from '@nestjs/common';
import type { Topic } from '../../common/topic.js';
import { MongoService } from '../mongo/mongo.service.js';
import { BACKGROUND } from '../mongo/slow-query/command-monitor.js';
import { eventRow, StoredEventSchema } from './event.schema.js';

const UNCONFIRMED = { writeConcern: { w: 1, journal: false }, comment: BACKGROUND };

/**
 * An event is a row of the transaction that reports it (Transaction.publish), so neither exists without the other. Payloads are plain
 * data.
 */
@Injectable()
export class EventPublisher {
  constructor(private readonly mongo: MongoService) {
    const rows = mongo.collection(StoredEventSchema);
    mongo.completion.publish = (events, tx) =>
      tx.insert(
        rows,
        events.map(({ _id, topic, payload }) => eventRow({ name: topic }, payload, _id)),
      );
  }

  /** Publishes an event that may be lost in a crash of the database. */
  async announce<P>(topic: Topic<P>, payload: P): Promise<void> {
    await this.mongo.collection(StoredEventSchema).insertOne(eventRow(topic, payload), UNCONFIRMED);
  }

  /** Publishes outside a transaction, after all earlier commits. */
  async publishNow<P>(topic: Topic<P>, payload: P): Promise<void> {
    await this.mongo.collection(StoredEventSchema).insertOne(eventRow(topic, payload));
  }
}
