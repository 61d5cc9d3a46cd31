import { Injectable } from '@nestjs/common';
import type { ClientSession, Collection } from 'mongodb';
import { isDuplicateKey } from '../mongo/duplicate-key.js';
import { MongoService } from '../mongo/mongo.service.js';
import type { Partition } from './topic-reader.js';

/** A document of `consumer_offsets`: all messages of the partition before `next` are processed. */
export type ConsumerOffsetRow = { _id: string; topic: string; partition: number; next: number; at: Date };

/** The offsets of processed messages; the second is the next one. */
export type Move = { partition: string; from: number; to: number };

/** Another consumer has processed these messages, or is processing them. */
export class OffsetMovedError extends Error {}

/** The offset of a topic that all hosts together have consumed; moved in the transaction of its messages. */
@Injectable()
export class ConsumerOffsets {
  constructor(private readonly mongo: MongoService) {}

  /** By id of the partition; missing if nothing was consumed yet. */
  async find(partitions: Partition[]): Promise<Map<string, number>> {
    const rows = await this.rows.find({ _id: { $in: partitions.map(({ id }) => id) } }).toArray();
    return new Map(rows.map(({ _id, next }) => [_id, next]));
  }

  /** Stores the first position of a partition, or a new one if the topic no longer has `before`. */
  async begin(topic: string, { id, index }: Partition, next: number, before: number | undefined): Promise<void> {
    const row = { topic, partition: index, next, at: new Date() };
    if (before !== undefined) {
      await this.rows.updateOne({ _id: id, next: before }, { $set: row });
      return;
    }
    await this.rows.insertOne({ _id: id, ...row }).catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
    });
  }

  /** @throws OffsetMovedError when a partition has another offset than expected */
  async advance(moves: Move[], session: ClientSession): Promise<void> {
    const at = new Date();
    const updates = moves.map(({ partition: _id, from, to }) => ({
      q: { _id, next: from },
      u: { $set: { next: to, at } },
    }));
    const moved = await this.mongo.batch.update(this.rows, updates, session);
    if (moved !== moves.length) throw new OffsetMovedError('The messages were consumed elsewhere.');
  }

  private get rows(): Collection<ConsumerOffsetRow> {
    return this.mongo.collection<ConsumerOffsetRow>('consumer_offsets');
  }
}
