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
import { exportGauge } from '../prometheus/metric.js';
import { lagSeconds, toldTotal } from './event-metrics.js';
import { ALL_CHANGED, OUTBOX, type ToldRow, type Topic, toldRow, TRUST_MS } from './event-row.js';

type Message = { topic: string; id: string; payload: unknown };
type Listener<P> = {
  /** once in every process for every committed row, whichever host wrote it; its own rows too */
  onRow: (payload: P, id: string) => void;
  /** rows may have been missed */
  onGap: () => void;
};
/** Keeps the position itself, across restarts, so that it misses nothing. Only in the process that follows the stream. */
export type DurableListener<P> = {
  /** where the stream is to begin; undefined: it begins with a gap */
  load: () => Promise<ResumeToken>;
  /** @param at when the row was written */
  onRow: (payload: P, position: ResumeToken, at: Date) => void;
  /** rows before the position may have been missed */
  onGap: (position: ResumeToken) => void;
};
type Insert = ChangeStreamInsertDocument<ToldRow>;

const HEARTBEAT_EVERY_MS = 500;
/** A host reads its own heartbeats, and so knows up to when it has read everything. `sentAt` is on the clock of its machine. */
const HEARTBEAT: Topic<{ host: string; sentAt: number }> = { name: 'stream.heartbeat' };
// one that is lost is followed by the next
const UNCONFIRMED = { writeConcern: { w: 1, journal: false }, comment: BACKGROUND };

/** bus channel; null stands for a gap */
const CHANNEL = 'outbox';
const REOPEN_AFTER_MS = 1_000;
// rows with a stage are work, and wait for the worker
const TOLD = [{ $match: { operationType: 'insert', 'fullDocument.stage': { $exists: false } } }];

/**
 * What committed writes of all hosts tell (Outbox.tell), to every process. One process of each host listens to a change stream and
 * passes it on over the bus: a stream costs the server some work for each commit.
 */
@Injectable()
export class OutboxStream implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('OutboxStream');
  private readonly listeners = new Map<string, Listener<unknown>>();
  private readonly ending = new AbortController();
  private durable: (DurableListener<unknown> & { topic: string }) | undefined;
  isOpen = false;
  private stream: ChangeStream<ToldRow, Insert> | undefined;
  private listening: Promise<void> | undefined;
  private readonly trustHandlers: ((until: number) => void)[] = [];
  private trustedUntil: number;
  private heartbeat: NodeJS.Timeout | undefined;
  private isBeating = false;

  constructor(
    private readonly mongo: MongoService,
    private readonly bus: ClusterBus,
    private readonly config: AppConfig,
    @Inject(PROCESS_ROLE) private readonly role: ProcessRole,
  ) {
    // a command receives no events, and caches nothing
    this.trustedUntil = bus.isAlone && !this.isFollower ? Infinity : -Infinity;
  }

  /** One listener for each topic. `P` is plain data: it travels as JSON. */
  listen<P>({ name }: Topic<P>, listener: Listener<P>): void {
    this.listeners.set(name, listener as Listener<unknown>);
  }

  /** One listener in all. It hears its topic as the others do. Call it before the application starts. */
  listenDurably<P>({ name }: Topic<P>, listener: DurableListener<P>): void {
    this.durable = { ...(listener as DurableListener<unknown>), topic: name };
  }

  /** Whether this is the process of the host that follows the stream. */
  get isFollower(): boolean {
    const { jobs, http } = this.config;
    // a host without a jobs process has a writer, unless it is one process
    const other: ProcessRole = http.workers === 1 ? 'web' : 'writer';
    return jobs.isEnabled ? runsJobs(this.role) : this.role === other;
  }

  /** All that was told before it has been passed on; undefined while the stream is closed. */
  get position(): ResumeToken {
    return this.isOpen ? this.stream?.resumeToken : undefined;
  }

  /**
   * Called again and again with the moment (of `performance.now()`) until which what this process knows may be given out: all that was
   * committed 1.5 s before it has been received. The processes of a host receive it from the one that follows.
   */
  onTrust(handler: (until: number) => void): void {
    this.trustHandlers.push(handler);
    handler(this.trustedUntil);
  }

  onModuleInit(): void {
    this.bus.subscribe<Message | null>(CHANNEL, (message) => this.hear(message));
    this.listen(HEARTBEAT, {
      onRow: ({ host, sentAt }) => {
        if (host === this.config.process.hostId) this.trustUntil(performance.now() - (machineMs() - sentAt) + TRUST_MS);
      },
      onGap: () => {},
    });
    exportGauge({
      name: 'opencanvas_outbox_stream_silent',
      help: '1 while a process of this host has received nothing for 1.5 s, and computes what it has cached for longer',
      aggregator: 'max',
      read: () => Number(performance.now() >= this.trustedUntil),
    });
  }

  onApplicationBootstrap(): void {
    if (!this.isFollower) return;
    this.listening = this.follow();
    this.heartbeat = setInterval(() => void this.beat(), HEARTBEAT_EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.ending.abort();
    clearInterval(this.heartbeat);
    await this.stream?.close().catch(() => {});
    await this.listening;
  }

  private async follow(): Promise<void> {
    const { signal } = this.ending;
    let position = await this.durablePosition();
    let isFirst = true;
    while (!signal.aborted) {
      const options = { comment: BACKGROUND, ...(position === undefined ? {} : { resumeAfter: position }) };
      const stream = this.mongo.collection<ToldRow>(OUTBOX).watch<ToldRow, Insert>(TOLD, options);
      this.stream = stream;
      try {
        // opens it: nothing that is committed from now on is missed
        let change = await stream.tryNext();
        this.isOpen = true;
        // what this host kept before this process was there may be outdated, wherever the stream begins
        if (position === undefined || isFirst) this.pass(null);
        if (position === undefined) this.durable?.onGap(stream.resumeToken);
        isFirst = false;
        for (;;) {
          if (change !== null) this.passOn(change);
          change = await stream.next();
        }
      } catch (error) {
        this.isOpen = false;
        if (signal.aborted) return;
        // after an outage it continues where it was; any other end means that the position is of no use any more
        position = isDatabaseOutage(error) ? (stream.resumeToken ?? position) : undefined;
        this.logger.warn(`listening to the outbox ended and begins again: ${String(error)}`);
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
    const row = toldRow(HEARTBEAT, { host: this.config.process.hostId, sentAt: machineMs() });
    // without a database this host receives no events, and stops trusting its cache
    await this.mongo
      .collection<ToldRow>(OUTBOX)
      .insertOne(row, UNCONFIRMED)
      .catch(() => {});
    this.isBeating = false;
  }

  /** Undefined where it cannot be read: the listener then hears of a gap. */
  private async durablePosition(): Promise<ResumeToken> {
    try {
      return await this.durable?.load();
    } catch (error) {
      this.logger.warn(`the position in the outbox is lost: ${String(error)}`);
      return undefined;
    }
  }

  private passOn({ _id: position, fullDocument: { _id, topic, payload, createdAt } }: Insert): void {
    toldTotal.inc({ topic });
    lagSeconds.observe({ topic, stage: 'told' }, Math.max(0, Date.now() - createdAt.getTime()) / 1_000);
    if (topic === ALL_CHANGED.name) {
      this.durable?.onGap(position);
      return this.pass(null);
    }
    if (this.durable?.topic === topic) this.durable.onRow(payload, position, createdAt);
    this.pass({ topic, id: _id.toHexString(), payload });
  }

  private pass(message: Message | null): void {
    this.hear(message);
    this.bus.publish(CHANNEL, message);
  }

  private hear(message: Message | null): void {
    if (message === null) for (const { onGap } of this.listeners.values()) onGap();
    else this.listeners.get(message.topic)?.onRow(message.payload, message.id);
  }
}

/** The same in all processes of a machine, and never set back. */
function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
