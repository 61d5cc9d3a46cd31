import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import type { Topic } from '../../common/topic.js';
import { AppConfig } from '../../config/app-config.js';
import { ClusterBus } from '../cluster/bus.js';
import { exportGauge } from '../prometheus/metric.js';
import { EventPublisher } from './event-publisher.js';
import { EventStream } from './event-stream.js';
import { TRUST_MS } from './event.schema.js';

/** A holder of data that was read earlier. */
export type TrustHolder = {
  /** time of `performance.now()` until which the data may be served: every change committed 1.5 s before was received */
  trustedUntil: number;
  /** A use of the data after this time must be reported. */
  reportUseAfter: number;
  reportUse: (now: number) => void;
};

const HEARTBEAT_EVERY_MS = 500;
/** Heartbeats continue for this time after the last use, because an idle host needs no trust. */
const IN_USE_MS = 10_000;
const REPORT_USE_EVERY_MS = 2_000;
/** bus channel: a process uses data that needs trust */
const IN_USE = 'events:in-use';
/** A host reads its own heartbeats to measure how far it has read the stream. `sentAt` is on the clock of its machine. */
const HEARTBEAT: Topic<{ host: string; sentAt: number }> = { name: 'stream.heartbeat' };

/** Determines until when this process may serve data that it has read earlier: it must have received all later changes. */
@Injectable()
export class StreamTrust implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly holders: TrustHolder[] = [];
  private trustedUntil: number;
  private timer: NodeJS.Timeout | undefined;
  private isBeating = false;
  /** the last use in any process of this host */
  private usedAt = -Infinity;

  constructor(
    private readonly events: EventPublisher,
    private readonly stream: EventStream,
    private readonly bus: ClusterBus,
    private readonly config: AppConfig,
  ) {
    // A CLI command receives no events and caches nothing.
    this.trustedUntil = bus.isAlone && !stream.isFollower ? Infinity : -Infinity;
  }

  /** Updates `trustedUntil` of the holder while this host is in use. The first use after a pause finds it expired. */
  keep(holder: TrustHolder): void {
    this.holders.push(holder);
    holder.trustedUntil = this.trustedUntil;
    holder.reportUseAfter = -Infinity;
    holder.reportUse = (now) => this.reportUse(now);
  }

  onModuleInit(): void {
    this.bus.subscribe(IN_USE, () => this.noteUse());
    this.stream.subscribe(HEARTBEAT, {
      onEvent: ({ host, sentAt }) => {
        if (host === this.config.process.hostId) this.trustUntil(performance.now() - (machineMs() - sentAt) + TRUST_MS);
      },
      onGap: () => {},
    });
    exportGauge({
      name: 'opencanvas_event_stream_stale',
      help: '1 if a process of a host in use has received no event for 1.5 s; it serves no older cached responses then',
      aggregator: 'max',
      read: () => Number(this.isInUse && performance.now() >= this.trustedUntil),
    });
  }

  onApplicationBootstrap(): void {
    if (this.stream.isFollower)
      this.timer = setInterval(() => void (this.isInUse && this.beat()), HEARTBEAT_EVERY_MS).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private trustUntil(until: number): void {
    this.trustedUntil = until;
    for (const holder of this.holders) holder.trustedUntil = until;
  }

  private reportUse(now: number): void {
    for (const holder of this.holders) holder.reportUseAfter = now + REPORT_USE_EVERY_MS;
    this.noteUse();
    this.bus.publish(IN_USE, null);
  }

  private noteUse(): void {
    const wasInUse = this.isInUse;
    this.usedAt = performance.now();
    if (!wasInUse && this.stream.isFollower) void this.beat();
  }

  private get isInUse(): boolean {
    return performance.now() - this.usedAt < IN_USE_MS;
  }

  private async beat(): Promise<void> {
    if (this.isBeating || !this.stream.isOpen) return;
    this.isBeating = true;
    // Without a database this host receives no events and stops trusting its cache.
    await this.events.announce(HEARTBEAT, { host: this.config.process.hostId, sentAt: machineMs() }).catch(() => {});
    this.isBeating = false;
  }
}

/** Returns the monotonic clock that all processes of a machine share. */
function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
