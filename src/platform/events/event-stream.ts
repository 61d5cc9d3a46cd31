import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import type { ChangeStream, ChangeStreamInsertDocument, ResumeToken } from 'mongodb';
import { isDatabaseOutage } from '../../common/database-outage.js';
import { AppConfig } from '../../config/app-config.js';
import { ClusterBus } from '../cluster/bus.js';
import { PROCESS_ROLE, type ProcessRole, runsJobs } from '../cluster/process-role.js';
import { MongoService } from '../mongo/mongo.service.js';
import { BACKGROUND } from '../mongo/slow-query/command-monitor.js';
import { counter, exportGauge, histogram } from '../prometheus/metric.js';
import { ALL_CHANGED, type StoredEvent, StoredEventSchema, TRUST_MS } from './event.schema.js';
import { EventPublisher } from './event-publisher.js';
import type { Topic } from '../../common/topic.js';

type Message = { topic: string; id: string; payload: unknown };
type Subscriber<P> = {
  /** Called once per process for each committed event of any host, including this one. */
  onEvent: (payload: P, id: string) => void;
  /** Called when events may have been missed. */
  onGap: () => void;
};
/** Stores its own position, so a restart loses no events. Runs only in the process that follows the stream. */
export type DurableSubscriber<P> = {
  /** start position of the stream; undefined is a gap */
  load: () => Promise<ResumeToken>;
  /** @param at time of publication */
  onEvent: (payload: P, position: ResumeToken, at: Date) => void;
  /** Called when events before the position may have been missed. */
  onGap: (position: ResumeToken) => void;
};
type Insert = ChangeStreamInsertDocument<StoredEvent>;

const HEARTBEAT_EVERY_MS = 500;
/** A host reads its own heartbeats to measure how far it has read the stream. `sentAt` is on the clock of its machine. */
const HEARTBEAT: Topic<{ host: string; sentAt: number }> = { name: 'stream.heartbeat' };

/** bus channel; a null message is a gap */
const CHANNEL = 'events';
const REOPEN_AFTER_MS = 1_000;
const INSERTS = [{ $match: { operationType: 'insert' } }];

const receivedTotal = counter({
  name: 'opencanvas_events_received_total',
  help: 'Events that this process received, by topic',
  labelNames: ['topic'],
});
const lagSeconds = histogram({
  name: 'opencanvas_event_lag_seconds',
  help: 'Time from the publication of an event until this host received it',
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 30],
});

/**
 * Delivers the events of all hosts (Transaction.publish) to every process. One process of each host follows a change stream and forwards events
 * over the bus, because each stream costs the server work per commit.
 */
@Injectable()
export class EventStream implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Events');
  private readonly subscribers = new Map<string, Subscriber<unknown>>();
  private readonly ending = new AbortController();
  private durable: (DurableSubscriber<unknown> & { topic: string }) | undefined;
  isOpen = false;
  private stream: ChangeStream<StoredEvent, Insert> | undefined;
  private following: Promise<void> | undefined;
  private readonly trustHandlers: ((until: number) => void)[] = [];
  private trustedUntil: number;
  private heartbeat: NodeJS.Timeout | undefined;
  private isBeating = false;

  constructor(
    private readonly mongo: MongoService,
    private readonly events: EventPublisher,
    private readonly bus: ClusterBus,
    private readonly config: AppConfig,
    @Inject(PROCESS_ROLE) private readonly role: ProcessRole,
  ) {
    // A CLI command receives no events and caches nothing.
    this.trustedUntil = bus.isAlone && !this.isFollower ? Infinity : -Infinity;
  }

  /** Accepts one subscriber per topic. `P` is plain data, because it is sent as JSON. */
  subscribe<P>({ name }: Topic<P>, subscriber: Subscriber<P>): void {
    this.subscribers.set(name, subscriber as Subscriber<unknown>);
  }

  /** Registers the only durable subscriber, in addition to the subscriber of its topic. Call this before the application starts. */
  subscribeDurably<P>({ name }: Topic<P>, subscriber: DurableSubscriber<P>): void {
    this.durable = { ...(subscriber as DurableSubscriber<unknown>), topic: name };
  }

  /** Whether this process follows the stream for its host. */
  get isFollower(): boolean {
    const { jobs, http } = this.config;
    // A host without a jobs process has a writer, unless it runs as one process.
    const other: ProcessRole = http.workers === 1 ? 'web' : 'writer';
    return jobs.isEnabled ? runsJobs(this.role) : this.role === other;
  }

  /** All events before this position have been delivered. Undefined while the stream is closed. */
  get position(): ResumeToken {
    return this.isOpen ? this.stream?.resumeToken : undefined;
  }

  /**
   * Calls the handler repeatedly with the time (of `performance.now()`) until which this process may serve cached data. The process has
   * received every change that was committed 1.5 s before that time.
   */
  onTrust(handler: (until: number) => void): void {
    this.trustHandlers.push(handler);
    handler(this.trustedUntil);
  }

  onModuleInit(): void {
    this.bus.subscribe<Message | null>(CHANNEL, (message) => this.deliver(message));
    this.subscribe(HEARTBEAT, {
      onEvent: ({ host, sentAt }) => {
        if (host === this.config.process.hostId) this.trustUntil(performance.now() - (machineMs() - sentAt) + TRUST_MS);
      },
      onGap: () => {},
    });
    exportGauge({
      name: 'opencanvas_event_stream_stale',
      help: '1 if a process of this host has received no event for 1.5 s; it serves no older cached responses then',
      aggregator: 'max',
      read: () => Number(performance.now() >= this.trustedUntil),
    });
  }

  onApplicationBootstrap(): void {
    if (!this.isFollower) return;
    this.following = this.follow();
    this.heartbeat = setInterval(() => void this.beat(), HEARTBEAT_EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.ending.abort();
    clearInterval(this.heartbeat);
    await this.stream?.close().catch(() => {});
    await this.following;
  }

  private async follow(): Promise<void> {
    const { signal } = this.ending;
    let position = await this.durablePosition();
    let isFirst = true;
    while (!signal.aborted) {
      const options = { comment: BACKGROUND, ...(position === undefined ? {} : { resumeAfter: position }) };
      const stream = this.mongo.collection(StoredEventSchema).watch<StoredEvent, Insert>(INSERTS, options);
      this.stream = stream;
      try {
        // Opens the stream, so that no later commit is missed.
        let change = await stream.tryNext();
        this.isOpen = true;
        // Data that this host cached before this process started may be stale, wherever the stream begins.
        if (position === undefined || isFirst) this.forward(null);
        if (position === undefined) this.durable?.onGap(stream.resumeToken);
        isFirst = false;
        for (;;) {
          if (change !== null) this.receive(change);
          change = await stream.next();
        }
      } catch (error) {
        this.isOpen = false;
        if (signal.aborted) return;
        // After an outage the stream resumes at its position. After any other error the position is invalid.
        position = isDatabaseOutage(error) ? (stream.resumeToken ?? position) : undefined;
        this.logger.warn(`the change stream was closed and is reopened: ${String(error)}`);
        await sleep(REOPEN_AFTER_MS, undefined, { signal }).catch(() => {});
      } finally {
        await stream.close().catch(() => {});
      }
    }
  }

  private trustUntil(until: number): void {
    this.trustedUntil = until;
    for (const handle of this.trustHandlers) handle(until);
  }

  private async beat(): Promise<void> {
    if (this.isBeating || !this.isOpen) return;
    this.isBeating = true;
    // Without a database this host receives no events and stops trusting its cache.
    await this.events.announce(HEARTBEAT, { host: this.config.process.hostId, sentAt: machineMs() }).catch(() => {});
    this.isBeating = false;
  }

  /** Returns undefined if loading fails. The subscriber then has a gap. */
  private async durablePosition(): Promise<ResumeToken> {
    try {
      return await this.durable?.load();
    } catch (error) {
      this.logger.warn(`the position in the change stream was lost: ${String(error)}`);
      return undefined;
    }
  }

  private receive({ _id: position, fullDocument: { _id, topic, payload, createdAt } }: Insert): void {
    receivedTotal.inc({ topic });
    lagSeconds.observe(Math.max(0, Date.now() - createdAt.getTime()) / 1_000);
    if (topic === ALL_CHANGED.name) {
      this.durable?.onGap(position);
      return this.forward(null);
    }
    if (this.durable?.topic === topic) this.durable.onEvent(payload, position, createdAt);
    this.forward({ topic, id: _id.toHexString(), payload });
  }

  private forward(message: Message | null): void {
    this.deliver(message);
    this.bus.publish(CHANNEL, message);
  }

  private deliver(message: Message | null): void {
    if (message === null) for (const { onGap } of this.subscribers.values()) onGap();
    else this.subscribers.get(message.topic)?.onEvent(message.payload, message.id);
  }
}

/** Returns the monotonic clock that all processes of a machine share. */
function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
