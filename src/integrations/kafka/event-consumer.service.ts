import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Binary, type Collection } from 'mongodb';
import { AppConfig } from '../../config/app-config.js';
import { type HandleMessages, TopicConsumer } from './topic-consumer.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { counter } from '../../platform/prometheus/metric.js';
import { type DeadEvent, DeadEventSchema } from './dead-event.schema.js';
import { MAX_MESSAGE_BYTES, PoisonedMessage, readEventMessage } from './event-message.js';
import { type PostEventItem, PostEventWriter } from '../../views/post-event-writer.service.js';

/** further messages are counted and not stored, so that a faulty producer cannot fill the database */
const MAX_DEAD = 10_000;

const messagesTotal = counter({
  name: 'opencanvas_events_consumed_total',
  help: 'Messages consumed from Kafka: counted, repeated, of posts that are not there, too old to be counted, parked',
  labelNames: ['outcome'],
});

/** Views, reads and shares from Kafka: the rules of those over HTTP, and a batch and its offsets in one transaction. */
@Injectable()
export class EventConsumer implements OnApplicationBootstrap {
  private readonly dead: Collection<DeadEvent>;

  constructor(
    private readonly mongo: MongoService,
    private readonly writer: PostEventWriter,
    private readonly topic: TopicConsumer,
    private readonly config: AppConfig,
  ) {
    this.dead = mongo.collection(DeadEventSchema);
  }

  onApplicationBootstrap(): void {
    const { kafka } = this.config.events;
    if (kafka !== undefined) this.topic.consume((...batch) => this.store(kafka.maxAgeMs, ...batch));
  }

  private async store(maxAgeMs: number, ...[messages, advance]: Parameters<HandleMessages>): Promise<void> {
    const items: PostEventItem[] = [];
    const poisoned: DeadEvent[] = [];
    let late = 0;
    const now = Date.now();
    for (const { partition, offset, timestamp, value } of messages) {
      const event = readEventMessage(value, timestamp, now);
      if (event instanceof PoisonedMessage) {
        const start = new Binary((value ?? Buffer.alloc(0)).subarray(0, MAX_MESSAGE_BYTES));
        poisoned.push({ _id: `${partition}:${offset}`, reason: event.reason, value: start, at: new Date(now) });
      } else if (this.writer.windowEndOf(event).getTime() < now - maxAgeMs) late++;
      else {
        const { postId, kind, viewer, at } = event;
        items.push({ id: this.writer.idOf(event), postId, kind, viewer, at });
      }
    }
    const kept = await this.roomFor(poisoned);
    const results = await this.writer.commit(items, async (session) => {
      await advance(session);
      await this.mongo.batch.insertMissing(this.dead, kept, session);
    });
    for (const result of results)
      messagesTotal.inc({
        outcome: result instanceof Error ? 'unknown_post' : result.counted ? 'counted' : 'repeated',
      });
    messagesTotal.inc({ outcome: 'late' }, late);
    messagesTotal.inc({ outcome: 'parked' }, poisoned.length);
  }

  private async roomFor(rows: DeadEvent[]): Promise<DeadEvent[]> {
    if (rows.length === 0) return rows;
    // the server's own estimate, which costs no scan
    return rows.slice(0, Math.max(0, MAX_DEAD - (await this.dead.estimatedDocumentCount())));
  }
}
