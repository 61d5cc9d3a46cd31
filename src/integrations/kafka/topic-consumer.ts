import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { Consumer, GenericError, MessagesStream } from '@platformatic/kafka';
import { within } from '../../common/within.js';
import { AppConfig } from '../../config/app-config.js';
import { ClusterBus } from '../../platform/cluster/bus.js';
import { PROCESS_ROLE, type ProcessRole, runsJobs } from '../../platform/cluster/process-role.js';
import { exportGauge } from '../../platform/prometheus/metric.js';
import { EventConsumerService } from './event-consumer.service.js';

type KafkaTarget = NonNullable<AppConfig['events']['kafka']>;
type Stream = MessagesStream<Buffer, Buffer, Buffer, Buffer>;
type State = { isConsuming: boolean; lag: number | null };

const BATCH_SIZE = 500;
const POLL_MS = 1_000;
const RETRY_MS = 1_000;
const CLOSE_TIMEOUT_MS = 2_000;
const STOP_TIMEOUT_MS = 5_000;
/** bus channel */
const STATE = 'kafka:state';

const CLIENT = {
  clientId: 'opencanvas',
  connectTimeout: 3_000,
  // Exceeds a rebalance, during which the broker does not respond.
  requestTimeout: 10_000,
  retries: 1,
  retryDelay: 200,
  // The partitions of a killed host have no consumer for this time.
  sessionTimeout: 6_000,
  rebalanceTimeout: 6_000,
  heartbeatInterval: 2_000,
} as const;
/** limits of one fetch from one broker; a single batch of a producer may be larger (`max.message.bytes` of the topic) */
const FETCH = { maxBytes: 262_144, maxBytesPerPartition: 262_144, maxWaitTime: 1_000 } as const;

/**
 * Consumes the topic of EVENTS_KAFKA_BROKERS in the jobs process of each host; all are members of one consumer group. An offset is
 * committed after its message is stored, so every message is stored at least once. After an error the process joins the group again.
 */
@Injectable()
export class TopicConsumer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Kafka');
  private readonly ending = new AbortController();
  private running: Promise<void> | undefined;
  private stream: Stream | undefined;
  private mode: 'committed' | 'earliest' = 'committed';
  private wasConsuming: boolean | undefined;
  /** As last reported by the jobs process of this host; a detail of readiness. The lag is that of its own partitions. */
  state: State = { isConsuming: false, lag: null };

  constructor(
    private readonly events: EventConsumerService,
    private readonly bus: ClusterBus,
    private readonly config: AppConfig,
    @Inject(PROCESS_ROLE) private readonly role: ProcessRole,
  ) {}

  onApplicationBootstrap(): void {
    const { kafka } = this.config.events;
    if (kafka === undefined) return;
    this.bus.subscribe<State>(STATE, (state) => (this.state = state));
    if (!this.config.jobs.isEnabled || !runsJobs(this.role)) return;
    exportGauge({
      name: 'opencanvas_kafka_consuming',
      help: '1 if this host is a member of the consumer group',
      read: () => Number(this.state.isConsuming),
    });
    exportGauge({
      name: 'opencanvas_kafka_lag_messages',
      help: 'Unconsumed messages in the partitions of this host',
      read: () => this.state.lag ?? 0,
    });
    this.running = this.run(kafka);
  }

  /** Completes the batch that is being stored. */
  async beforeApplicationShutdown(): Promise<void> {
    this.ending.abort();
    this.stream?.destroy();
    if (this.running !== undefined) await within(STOP_TIMEOUT_MS, this.running);
  }

  private async run(target: KafkaTarget): Promise<void> {
    const { signal } = this.ending;
    while (!signal.aborted) {
      await this.consume(target).catch((error: unknown) => this.onDisconnect(target, error));
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** Consumes until an error, or the end of the process. */
  private async consume(target: KafkaTarget): Promise<void> {
    const { topic } = target;
    const consumer = await openConsumer(target);
    try {
      const start = { mode: this.mode, fallbackMode: 'earliest' } as const;
      const stream = await consumer.consume({ topics: [topic], ...start, autocommit: false, ...FETCH });
      ignoreErrors(stream);
      consumer.on('error', (error) => stream.destroy(error));
      stream.on('error', () => {});
      this.stream = stream;
      this.mode = 'committed';
      this.find();
      void this.watch(topic, consumer, stream).catch((error: Error) => stream.destroy(error));
      if (this.ending.signal.aborted) return;
      let batch = [];
      for await (const message of stream) {
        batch.push(message);
        if (batch.length < BATCH_SIZE && stream.readableLength > 0) continue;
        await this.events.store(batch);
        const last = new Map(batch.map((stored) => [stored.partition, stored]));
        await Promise.all([...last.values()].map(async (stored) => stored.commit()));
        batch = [];
      }
    } finally {
      this.stream?.destroy();
      const closed = new Promise<void>((resolve) => {
        consumer.close(true, (error) => (error === null ? resolve() : consumer.connections.close(() => resolve())));
      });
      await within(CLOSE_TIMEOUT_MS, closed);
    }
  }

  /** Reports the lag every second, and joins again when the topic has new partitions. Ends with the stream. */
  private async watch(topic: string, consumer: Consumer, stream: Stream): Promise<void> {
    for (let partitions: number | undefined; ;) {
      const lags = (await consumer.getLag({ topics: [topic] })).get(topic)!;
      if (stream.destroyed) return;
      // The lag is negative for partitions of other members.
      const lag = lags.reduce((sum, count) => sum + Math.max(0, Number(count)), 0);
      this.publishState({ isConsuming: true, lag });
      // The members divide the partitions only when one of them joins.
      if (lags.length !== (partitions ??= lags.length)) await consumer.joinGroup({});
      partitions = lags.length;
      await sleep(POLL_MS, undefined, { ref: false });
    }
  }

  private find(): void {
    if (this.wasConsuming !== true)
      this.logger.log(this.wasConsuming === undefined ? 'Kafka is connected' : 'Kafka is connected again');
    this.wasConsuming = true;
    this.publishState({ isConsuming: true, lag: null });
  }

  private onDisconnect({ brokers, topic }: KafkaTarget, error: unknown): void {
    this.publishState({ isConsuming: false, lag: null });
    if (this.ending.signal.aborted) return;
    if ((error as Partial<GenericError>).findBy?.('apiId', 'OFFSET_OUT_OF_RANGE')) {
      this.mode = 'earliest';
      this.logger.warn(
        `${topic} no longer has the messages at the committed offset: it is consumed from its beginning`,
      );
    } else if (this.wasConsuming !== false)
      this.logger.warn(
        `No events from Kafka: ${topic} at ${brokers.join(', ')} (${reasonOf(error)}). Kafka keeps the events; this host counts them when the topic is available.`,
      );
    this.wasConsuming = false;
  }

  private publishState(state: State): void {
    this.state = state;
    this.bus.publish(STATE, state);
  }
}

async function openConsumer({ brokers, group, isEncrypted, login }: KafkaTarget): Promise<Consumer> {
  const { Consumer } = await import('@platformatic/kafka');
  const consumer = new Consumer({
    ...CLIENT,
    groupId: group,
    bootstrapBrokers: brokers,
    ...(isEncrypted && { tls: {}, tlsServerName: true }),
    ...(login !== undefined && { sasl: login }),
  });
  ignoreErrors(consumer);
  return consumer;
}

/** Adds a listener, because a second error of a connection would end the process. */
function ignoreErrors({ connections }: Pick<Consumer, 'connections'>): void {
  connections.on('connecting', ({ connection }) => connection.on('error', () => {}));
}

/** Returns the innermost of nested errors, which is that of the network or the broker. */
function reasonOf(error: unknown): string {
  const inner = (error as { cause?: unknown }).cause ?? (error as { errors?: unknown[] }).errors?.at(-1);
  if (inner !== undefined) return reasonOf(inner);
  return error instanceof Error ? error.message : String(error);
}
