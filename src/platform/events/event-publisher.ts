import { Injectable } from '@nestjs/common';
import type { ClientSession } from 'mongodb';
import { MongoService } from '../mongo/mongo.service.js';
import { BACKGROUND } from '../mongo/slow-query/command-monitor.js';
import { eventRow, StoredEventSchema } from './event.schema.js';
import type { Topic } from './topic.js';

const UNCONFIRMED = { writeConcern: { w: 1, journal: false }, comment: BACKGROUND };

/** An event is a row of the transaction that it reports, so neither exists without the other. Payloads are plain data. */
@Injectable()
export class EventPublisher {
  constructor(private readonly mongo: MongoService) {}

  /** Every process of every host receives the event after the commit (EventStream). @returns the id of the event */
  async publish<P>(session: ClientSession, topic: Topic<P>, payload: P): Promise<string> {
    const row = eventRow(topic, payload);
    await this.mongo.batch.insert(this.mongo.collection(StoredEventSchema), [row], session);
    return row._id.toHexString();
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
