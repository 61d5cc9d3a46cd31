import { Injectable } from '@nestjs/common';
import { type ClientSession, ObjectId } from 'mongodb';
import type { UpdateStatement } from '../mongo/batch-commands.js';
import { MongoService } from '../mongo/mongo.service.js';
import { OutboxHandlers } from './task-handlers.js';
import { type AddedRow, OUTBOX, type ToldRow, type Topic, toldRow } from '../events/event-row.js';

/** What a write leaves to be done, or tells others, is a row of its own transaction, so neither exists without the other. */
@Injectable()
export class Outbox {
  constructor(
    private readonly mongo: MongoService,
    private readonly handlers: OutboxHandlers,
  ) {}

  /** Tells every process of every host (OutboxStream), with the commit. `payload` is plain data. @returns the row's id */
  async tell<P>(session: ClientSession, topic: Topic<P>, payload: P): Promise<string> {
    const row = toldRow(topic, payload);
    await this.mongo.batch.insert({ collectionName: OUTBOX }, [row], session);
    return row._id.toHexString();
  }

  /** Tells it outside a transaction, after all that was committed before. */
  async tellNow<P>(topic: Topic<P>, payload: P): Promise<ObjectId> {
    const row = toldRow(topic, payload);
    await this.mongo.collection<ToldRow>(OUTBOX).insertOne(row);
    return row._id;
  }

  /** Leaves work. @param heldMs for this long the caller works on it itself, then it is the worker's */
  async add<P>(session: ClientSession, topic: Topic<P>, payload: P, heldMs = 0): Promise<AddedRow> {
    const [row] = await this.addMany(session, topic, [payload], heldMs);
    return row!;
  }

  async addMany<P>(session: ClientSession, { name }: Topic<P>, payloads: P[], heldMs = 0): Promise<AddedRow[]> {
    if (payloads.length === 0) return [];
    const added = payloads.map((payload) => ({ _id: new ObjectId(), topic: name, payload }));
    const stage = this.handlers.of(name, 'foreground').length > 0 ? 'foreground' : 'background';
    const retryAt = heldMs === 0 ? null : { $add: ['$$NOW', heldMs] };
    const fresh = { createdAt: '$$NOW', stage, attempts: 0, retryAt, lastError: null };
    // an insert cannot name the database's clock, by which the worker waits
    const statements = added.map(({ _id, topic, payload }): UpdateStatement => {
      return { q: { _id }, u: [{ $set: { topic, payload: { $literal: payload }, ...fresh } }], upsert: true };
    });
    await this.mongo.batch.update({ collectionName: OUTBOX }, statements, session);
    return added;
  }
}
