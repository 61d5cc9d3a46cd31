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
import { counter, histogram } from '../prometheus/metric.js';
import { ALL_CHANGED, type StoredEvent, StoredEventSchema } from './event.schema.js';
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

  constructor(
    private readonly mongo: MongoService,
    private readonly bus: ClusterBus,
    private readonly config: AppConfig,
    @Inject(PROCESS_ROLE) private readonly role: ProcessRole,
  ) {}

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

  onModuleInit(): void {
    this.bus.subscribe<Message | null>(CHANNEL, (message) => this.deliver(message));
  }

  onApplicationBootstrap(): void {
    if (this.isFollower) this.following = this.follow();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.ending.abort();
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
