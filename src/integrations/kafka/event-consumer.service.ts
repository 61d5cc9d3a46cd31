import { Injectable } from '@nestjs/common';
import { Binary, type Collection } from 'mongodb';
import { AppConfig } from '../../config/app-config.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { counter } from '../../platform/prometheus/metric.js';
import { type DeadEvent, DeadEventSchema } from './dead-event.schema.js';
import { viewerOf } from '../../users/actor.js';
import { isBanned } from '../../users/standing.js';
import { UserAccountsService } from '../../users/user-accounts.service.js';
import { type PostEvent, type PostEventItem, PostEventWriterService } from '../../views/post-event-writer.service.js';
import { type EventMessage, MAX_MESSAGE_BYTES, InvalidMessage, readEventMessage } from './event-message.js';

/** further messages are only counted, so that a faulty producer cannot fill the database */
const MAX_DEAD = 10_000;

const messagesTotal = counter({
  name: 'opencanvas_events_consumed_total',
  help: 'Messages consumed from Kafka: counted, repeated, for missing posts, too old, stored as dead letters',
  labelNames: ['outcome'],
});

export type TopicMessage = {
  topic: string;
  partition: number;
  offset: bigint;
  /** ms since the epoch */
  timestamp: bigint;
  value: Buffer | undefined;
};

/** Counts views, reads and shares from Kafka by the same rules as those over HTTP. */
@Injectable()
export class EventConsumerService {
  private readonly dead: Collection<DeadEvent>;
  private readonly maxAgeMs: number;

  constructor(
    private readonly mongo: MongoService,
    private readonly writer: PostEventWriterService,
    private readonly accounts: UserAccountsService,
    { events }: AppConfig,
  ) {
    this.dead = mongo.collection(DeadEventSchema);
    this.maxAgeMs = events.kafka?.maxAgeMs ?? 0;
  }

  /** Idempotent: an event counts once by its key, an invalid message is stored once by its offset. */
  async store(messages: TopicMessage[]): Promise<void> {
    const read: EventMessage[] = [];
    const poisoned: DeadEvent[] = [];
    let late = 0;
    const now = Date.now();
    for (const { topic, partition, offset, timestamp, value } of messages) {
      const event = readEventMessage(value, Number(timestamp), now);
      if (event instanceof InvalidMessage) {
        const start = new Binary((value ?? Buffer.alloc(0)).subarray(0, MAX_MESSAGE_BYTES));
        poisoned.push({
          _id: `${topic}:${partition}:${offset}`,
          reason: event.reason,
          value: start,
          at: new Date(now),
        });
      } else if (this.writer.windowEndOf(event).getTime() < now - this.maxAgeMs) late++;
      else read.push(event);
    }
    const kept = await this.capacityFor(poisoned);
    if (kept.length > 0) await this.mongo.transaction((tx) => tx.insertMissing(this.dead, kept));
    const items = (await this.withViewers(read)).map((event): PostEventItem => {
      const { postId, kind, viewer, at } = event;
      return { id: this.writer.idOf(event), postId, kind, viewer, at };
    });
    const results = await this.writer.commit(items);
    for (const result of results)
      messagesTotal.inc({
        outcome: result instanceof Error ? 'unknown_post' : result.counted ? 'counted' : 'repeated',
      });
    messagesTotal.inc({ outcome: 'late' }, late);
    messagesTotal.inc({ outcome: 'parked' }, poisoned.length);
  }

  /** The producer vouches for its accounts. Deleted and banned ones count as one visitor. */
  private async withViewers(events: EventMessage[]): Promise<PostEvent[]> {
    const ids = new Set(events.flatMap(({ userId }) => userId ?? []));
    const actors = ids.size === 0 ? new Map<string, never>() : await this.accounts.actors([...ids]);
    return events.map(({ userId, ...event }) => {
      const actor = actors.get(userId ?? '');
      const isViewer = actor !== undefined && !isBanned(actor);
      return { ...event, viewer: isViewer ? { ...viewerOf(actor), isEmailVerified: true } : null };
    });
  }

  private async capacityFor(rows: DeadEvent[]): Promise<DeadEvent[]> {
    if (rows.length === 0) return rows;
    // Reads the estimate of the server, which costs no scan.
    return rows.slice(0, Math.max(0, MAX_DEAD - (await this.dead.estimatedDocumentCount())));
  }
}
