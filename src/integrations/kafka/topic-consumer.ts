import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { ClientSession } from 'mongodb';
import { AppConfig } from '../../config/app-config.js';
import { ClusterBus } from '../../platform/cluster/bus.js';
import { PROCESS_ROLE, type ProcessRole, runsJobs } from '../../platform/cluster/process-role.js';
import { Leased } from '../../platform/jobs/leased.decorator.js';
import { exportGauge } from '../../platform/prometheus/metric.js';
import { ConsumerOffsets, type Move, OffsetMovedError } from '../../platform/kafka/consumer-offsets.js';
import { type KafkaTarget, type Partition, type TopicMessage, TopicReader } from '../../platform/kafka/topic-reader.js';

/**
 * Applies the messages in one transaction that also awaits `advance`: both are stored, or neither. An error ends the run; the next run
 * begins with the same messages.
 */
export type HandleMessages = (
  messages: TopicMessage[],
  advance: (session: ClientSession) => Promise<void>,
) => Promise<void>;

const LOOK_EVERY_MS = 1_000;
/** Short, because it only keeps hosts from doing the same work twice; the offsets keep it correct. */
const LEASE_MS = 3_000;
const BATCH_SIZE = 500;
/** bus channel */
const STATE = 'kafka:state';

type State = { isConnected: boolean; isConsuming: boolean; lag: number | null };

/**
 * Consumes the topic of EVENTS_KAFKA_BROKERS in the jobs process of one host at a time. It processes one response of the brokers before
 * it requests the next, so memory is bounded and waiting messages stay on the brokers.
 */
@Injectable()
export class TopicConsumer implements OnApplicationShutdown {
  private readonly logger = new Logger('Kafka');
  private reader: TopicReader | undefined;
  private target: KafkaTarget | undefined;
  private handle!: HandleMessages;
  private isLooking = false;
  private wasConnected: boolean | undefined;
  private toldAt = -Infinity;
  /** As last reported by the jobs process of this host; a detail of readiness. */
  state: State = { isConnected: false, isConsuming: false, lag: null };

  constructor(
    private readonly offsets: ConsumerOffsets,
    private readonly bus: ClusterBus,
    private readonly config: AppConfig,
    @Inject(PROCESS_ROLE) private readonly role: ProcessRole,
  ) {}

  /** Call it once, at the start of the application; without brokers it does nothing. */
  consume(handle: HandleMessages): void {
    const { kafka } = this.config.events;
    if (kafka === undefined) return;
    this.target = kafka;
    this.handle = handle;
    this.bus.subscribe<State>(STATE, (state) => (this.state = state));
    if (!this.config.jobs.isEnabled || !runsJobs(this.role)) return;
    exportGauge({
      name: 'opencanvas_kafka_consuming',
      help: 'Whether this host is the one that consumes the topic',
      read: () => Number(this.state.isConsuming),
    });
    exportGauge({
      name: 'opencanvas_kafka_lag_messages',
      help: 'Messages of the topic that are not consumed yet, as the host that consumes it knows',
      read: () => this.state.lag ?? 0,
    });
  }

  async onApplicationShutdown(): Promise<void> {
    // closing the reader is not an outage
    this.wasConnected = false;
    await this.closeReader();
  }

  /** A host that cannot reach the topic does not take the lease. */
  private async isReachable(): Promise<boolean> {
    const { target } = this;
    if (target === undefined || this.isLooking) return false;
    this.isLooking = true;
    try {
      this.reader ??= await TopicReader.open(target);
      await this.reader.partitions();
      this.found();
      return true;
    } catch (error) {
      await this.lose(target, error);
      return false;
    } finally {
      this.isLooking = false;
    }
  }

  @Interval(LOOK_EVERY_MS)
  @Leased<TopicConsumer>('kafka', { isDue: (consumer) => consumer.isReachable(), leaseMs: LEASE_MS })
  async run(signal: AbortSignal): Promise<void> {
    const reader = this.reader!;
    const target = this.target!;
    try {
      const partitions = await reader.partitions();
      const stored = await this.positions(target.topic, partitions, await reader.ranges());
      // the next offsets: ahead of the stored ones where the topic contains records other than messages
      const next = new Map([...stored].map(([id, offset]) => [id, { offset, behind: 0 }]));
      while (!signal.aborted) {
        const now = await reader.partitions();
        // the topic has new partitions, or was created again
        if (now.some(({ id }) => !stored.has(id))) return;
        const fetched = await reader.fetch(now, next);
        await this.handleAll(fetched.messages, stored, signal);
        for (const [id, position] of fetched.next) next.set(id, position);
        const lag = [...next.values()].reduce((sum, { behind }) => sum + behind, 0);
        this.tell({ isConnected: true, isConsuming: true, lag });
      }
    } catch (error) {
      if (error instanceof OffsetMovedError) return;
      if (isOfKafka(error)) return await this.lose(target, error);
      await this.closeReader();
      throw error;
    } finally {
      this.tell({ ...this.state, isConsuming: false, lag: null });
    }
  }

  /** The next offset of each partition: the stored one, or the first if there is none or the topic no longer has it. */
  private async positions(
    topic: string,
    partitions: Partition[],
    ranges: { begin: number; end: number }[],
  ): Promise<Map<string, number>> {
    const stored = await this.offsets.find(partitions);
    for (const partition of partitions) {
      const { begin, end } = ranges[partition.index]!;
      const offset = stored.get(partition.id);
      if (offset !== undefined && offset >= begin && offset <= end) continue;
      if (offset !== undefined)
        this.logger.warn(
          `partition ${partition.index} of ${topic} has messages ${begin} to ${end}, and no longer ${offset}: it is consumed from ${begin} on`,
        );
      await this.offsets.begin(topic, partition, begin, offset);
    }
    return this.offsets.find(partitions);
  }

  private async handleAll(messages: TopicMessage[], stored: Map<string, number>, signal: AbortSignal): Promise<void> {
    for (let begin = 0; begin < messages.length && !signal.aborted; begin += BATCH_SIZE) {
      const batch = messages.slice(begin, begin + BATCH_SIZE);
      const ends = new Map(batch.map(({ partition, offset }) => [partition, offset + 1]));
      const moves = [...ends].map(([partition, to]): Move => ({ partition, from: stored.get(partition)!, to }));
      await this.handle(batch, (session) => this.offsets.advance(moves, session));
      for (const { partition, to } of moves) stored.set(partition, to);
    }
  }

  private found(): void {
    if (this.wasConnected !== true)
      this.logger.log(this.wasConnected === undefined ? 'Kafka is there' : 'Kafka is back');
    this.wasConnected = true;
    this.tell({ ...this.state, isConnected: true });
  }

  private async lose({ brokers, topic }: KafkaTarget, error: unknown): Promise<void> {
    await this.closeReader();
    if (this.wasConnected !== false)
      this.logger.warn(
        `No Kafka at ${brokers.join(', ')} gives the topic ${topic} (${reasonOf(error)}). This host serves without it; its events wait there and are counted when it does.`,
      );
    this.wasConnected = false;
    this.tell({ ...this.state, isConnected: false });
  }

  private async closeReader(): Promise<void> {
    await this.reader?.close();
    this.reader = undefined;
  }

  private tell(state: State): void {
    const isNews = state.isConnected !== this.state.isConnected || state.isConsuming !== this.state.isConsuming;
    this.state = state;
    const now = performance.now();
    if (!isNews && now - this.toldAt < LOOK_EVERY_MS) return;
    this.toldAt = now;
    this.bus.publish(STATE, state);
  }
}

/** The client's own errors, and all errors of its connections, have such codes. */
function isOfKafka(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('PLT_KFK_');
}

/** The innermost of nested errors, which is that of the network or the broker. */
function reasonOf(error: unknown): string {
  const inner = (error as { cause?: unknown }).cause ?? (error as { errors?: unknown[] }).errors?.at(-1);
  if (inner !== undefined) return reasonOf(inner);
  return error instanceof Error ? error.message : String(error);
}
